//! `quiver local-ai` as a process, and what it says.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::site::{self, SECRET, Site, USER};
use crate::common::program::{Run, quiver, run};
use crate::common::scratch::Scratch;

/// A running client, with everything that it says in a folder.
pub(crate) struct Client {
    pub(crate) child: Child,
    said: Scratch,
}

pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) log: String,
}

/// The client, with these arguments and others for what they do not say.
pub(crate) fn command(site: &Site, arguments: &[&str]) -> Command {
    let mut command = quiver(&[&["local-ai"], arguments].concat());
    let base = format!("http://127.0.0.1:{}", site.port);
    for (name, value) in [
        ("--base-url", base.as_str()),
        ("--retry-wait", "0.02"),
        ("--trouble-wait", "0.03"),
        ("--quiet-wait", "0.01"),
        ("--memory", "64M"),
        ("--player", "random"),
        ("--concurrency", "2"),
    ] {
        if !arguments.contains(&name) {
            command.args([name, value]);
        }
    }
    command.env("QUIVER_BOARD", "8").env("QUIVER_BOTZONE_USER", USER).env("QUIVER_BOTZONE_SECRET", SECRET);
    // A proxy of this environment's is no business of a site on this machine.
    command.env("http_proxy", "http://127.0.0.1:1").env_remove("QUIVER_BOTZONE_URL");
    command
}

impl Client {
    pub(crate) fn start(site: &Site, name: &str, arguments: &[&str]) -> Client {
        Client::spawn(command(site, arguments), name)
    }

    pub(crate) fn spawn(mut command: Command, name: &str) -> Client {
        let said = Scratch::new(&format!("local-ai-{name}"));
        let [out, err] = ["0", "1"].map(|name| fs::File::create(said.join(name)).unwrap());
        let child = command.arg("--log").arg(said.join("2")).stdout(out).stderr(err).spawn().unwrap();
        Client { child, said }
    }

    /// The client's output in a file (0: standard output, 1: standard error, 2: the log). A
    /// client that is killed early may not have begun a log.
    pub(crate) fn said(&self, file: usize) -> String {
        fs::read_to_string(self.said.join(file.to_string())).unwrap_or_default()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn wait_for(&mut self, file: usize, text: &str) {
        self.wait_until(|client| client.said(file).contains(text));
    }

    fn wait_until(&mut self, done: impl Fn(&Client) -> bool) {
        while !done(self) {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the client ended: {status}: {}", self.said(1));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for a state of the site, which must have no complaints meanwhile.
    pub(crate) fn wait_at(&mut self, site: &Site, done: impl Fn(&site::State) -> bool) {
        self.wait_until(|_| {
            let state = site.state();
            assert_eq!(state.complaints, Vec::<String>::new());
            done(&state)
        });
    }

    pub(crate) fn wait_for_ends(&mut self, site: &Site) {
        self.wait_at(site, |state| state.games.values().all(site::Game::is_over));
    }

    pub(crate) fn end(mut self) -> Said {
        let status = self.child.wait().unwrap();
        let [stdout, stderr, log] = [0, 1, 2].map(|file| self.said(file));
        for text in [&stdout, &stderr, &log] {
            assert!(!text.contains(SECRET), "the secret is out: {text}");
        }
        Said { code: status.code(), stdout, stderr, log }
    }

    /// Ctrl-C, and a clean end.
    pub(crate) fn stop(self) -> Said {
        self.signal(Signal::INT);
        let said = self.end();
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        said
    }

    /// Waits until all matches are over and reported, and stops.
    pub(crate) fn finish(mut self, site: &Site) -> Said {
        let count = site.state().games.len();
        self.wait_for_ends(site);
        let told = |said: &str| said.lines().filter(|line| line.starts_with("match 5f")).count();
        self.wait_until(|client| told(&client.said(0)) >= count);
        self.stop()
    }
}

/// The output of a client that ends with this status, without a result.
pub(crate) fn refusal(command: Command, status: i32) -> String {
    let Run { code, out, err } = run(command, b"");
    assert_eq!((code, out.as_str()), (Some(status), ""), "{err}");
    let begins = |line: &str| line.starts_with("quiver: ") || line.starts_with("error: ");
    assert!(if status == 2 { begins(&err) } else { err.lines().any(begins) }, "{err}");
    assert!(!err.contains(SECRET), "{err}");
    err
}
