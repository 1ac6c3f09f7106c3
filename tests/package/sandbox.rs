//! Runs a program in a sandbox with the limits of Botzone: a chroot without /proc, an
//! unprivileged user, one CPU, 256 MB, 50 processes and 50 open files.
//!
//! Only root can use chroot and change the user. For other users, the sandbox does neither, and the
//! tests say so on standard error.

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
    /// Creates a read-only root folder with the program and an empty read-only folder `data`.
    pub(crate) fn new(name: &str, program: &Path) -> Sandbox {
        let root = folder().join("sandbox").join(name);
        let sandbox = Sandbox { root };
        if sandbox.root.exists() {
            sandbox.allow("").allow("data");
            fs::remove_dir_all(&sandbox.root).unwrap();
        }
        fs::create_dir_all(sandbox.root.join("data")).unwrap();
        // A copy might not start: a process that another test starts during the copying inherits
        // the open file, and the system runs no file that is open for writing. A link avoids this.
        fs::hard_link(program, sandbox.root.join("bot")).unwrap();
        sandbox.set("", 0o555);
        sandbox.set("data", 0o555);
        sandbox
    }

    /// Allows the program to write into a folder. The root folder is "".
    pub(crate) fn allow(&self, folder: &str) -> &Sandbox {
        self.set(folder, 0o777);
        self
    }

    fn set(&self, folder: &str, mode: u32) {
        fs::set_permissions(self.root.join(folder), Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let all = entries(&self.root).chain(entries(&self.root.join("data")));
        all.filter(|path| !path.ends_with("bot") && !path.ends_with("data")).collect()
    }

    pub(crate) fn command(&self) -> Command {
        self.command_within(256 << 20)
    }

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

/// True if this process can use chroot and change its user.
pub(crate) static HAS_OTHER_ROOT: LazyLock<bool> = LazyLock::new(|| {
    let root = rustix::process::geteuid().is_root();
    let tried = Command::new("chroot").args(["--userspec=65534:65534", "/", "true"]).output();
    let has = root && tried.is_ok_and(|output| output.status.success());
    if !has {
        skipped("no right to use chroot: packages run under the usual root folder, with /proc");
    }
    has
});

/// Reports a skipped test directly on standard error, because the runner captures printed text.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "\nSKIPPED in tests/package: {what}\n");
}

fn one_cpu() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    list.split([',', '-']).next().unwrap().to_owned()
}
