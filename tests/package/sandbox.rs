//! A place to run a program in, as poor as the site's: another root without /proc, the rights of
//! the user nobody, one CPU, 256 MB, 50 processes, 50 open files.
//!
//! Another root and other rights are for root to give. Without them the rest stays, and a line on
//! standard error says what is missing.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::folder;

pub(crate) struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    /// An empty root that holds the program and a folder `data`; neither folder can be written to.
    pub(crate) fn new(name: &str, program: &Path) -> Sandbox {
        let root = folder().join("sandbox").join(name);
        let sandbox = Sandbox { root };
        if sandbox.root.exists() {
            sandbox.allow("").allow("data");
            fs::remove_dir_all(&sandbox.root).unwrap();
        }
        fs::create_dir_all(sandbox.root.join("data")).unwrap();
        // Not a copy: a process that another test starts meanwhile would hold it open to write, and
        // the system runs no such file.
        fs::hard_link(program, sandbox.root.join("bot")).unwrap();
        sandbox.set("", 0o555);
        sandbox.set("data", 0o555);
        sandbox
    }

    /// Lets the program write into a folder, the root being "".
    pub(crate) fn allow(&self, folder: &str) -> &Sandbox {
        self.set(folder, 0o777);
        self
    }

    fn set(&self, folder: &str, mode: u32) {
        fs::set_permissions(self.root.join(folder), Permissions::from_mode(mode)).unwrap();
    }

    /// The files of the root and of its data folder that have not been there from the start.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let all = entries(&self.root).chain(entries(&self.root.join("data")));
        all.filter(|path| !path.ends_with("bot") && !path.ends_with("data")).collect()
    }

    pub(crate) fn command(&self) -> Command {
        self.command_within(256 << 20)
    }

    /// The program in the sandbox, with this many bytes of memory.
    pub(crate) fn command_within(&self, bytes: u64) -> Command {
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={bytes}"));
        command.args(["--nproc=50", "--nofile=50", "taskset", "--cpu-list", &one_cpu()]);
        command.current_dir(&self.root);
        if *HAS_OTHER_ROOT {
            command.args(["chroot", "--userspec=65534:65534"]).arg(&self.root);
            command.arg("/bot");
        } else {
            command.arg("./bot");
        }
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }
}

/// True if this process may change its root and give up its rights.
pub(crate) static HAS_OTHER_ROOT: LazyLock<bool> = LazyLock::new(|| {
    let root = rustix::process::geteuid().is_root();
    let tried = Command::new("chroot").args(["--userspec=65534:65534", "/", "true"]).output();
    let has = root && tried.is_ok_and(|output| output.status.success());
    if !has {
        skipped("no right to change the root: packages run under the usual root, with /proc");
    }
    has
});

/// Says what is not tested. The test runner keeps what tests print; this goes past it.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "\nSKIPPED in tests/package: {what}\n");
}

fn one_cpu() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    list.split([',', '-']).next().unwrap().to_owned()
}
