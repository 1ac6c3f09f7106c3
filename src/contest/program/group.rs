//! A program in a process group of its own: started, stopped and continued, ended with all its
//! children.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Resource, Signal, kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, Rlimit, pidfd_open, prlimit};

use super::cpu;
use crate::contest::{Entrant, GameContext, LaunchError, PlayerFault};
use crate::files;
use crate::game::{EndKind, Side};

/// Bytes of standard error that are kept for reports.
const MOST_COMPLAINT: usize = 2000;

/// The variables of the environment that a measured program gets.
const KEPT: [&str; 5] = ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"];

/// The groups that live, for [`kill_all`]; `None` if no more may begin.
static LIVE: Mutex<Option<BTreeSet<i32>>> = Mutex::new(Some(BTreeSet::new()));

/// Kills every program that this process has started and starts no more. Called when this process
/// must end at once.
pub(crate) fn kill_all() {
    for group in LIVE.lock().take().into_iter().flatten().filter_map(Pid::from_raw) {
        // An error means that the group has ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A program and whatever it starts; all of it is killed on drop.
#[derive(Debug)]
pub(in crate::contest) struct ProcessGroup {
    child: Child,
    pub(super) id: Pid,
    /// Becomes readable when the program has ended, even if its children hold the pipes.
    pub(super) end: OwnedFd,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
    /// True if standard error may bring more.
    pub(super) complains: bool,
    complaint: Vec<u8>,
    log: Option<File>,
    /// CPU time at the end of the last exchange: what comes after belongs to the next.
    pub(super) charged: Duration,
    /// The most memory that a look has found, in bytes.
    pub(super) peak_memory: u64,
    stopped: bool,
}

impl ProcessGroup {
    pub(in crate::contest) fn start(
        entrant: &Entrant,
        context: &GameContext<'_>,
    ) -> Result<ProcessGroup, LaunchError> {
        let words = entrant.command();
        let failed = |cause: io::Error| LaunchError(format!("'{}' does not start: {cause}", words.join(" ")));
        let [program, arguments @ ..] = words else {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        };
        if !cfg!(target_os = "linux") {
            let cause = "a program as a player needs Linux, whose /proc tells its CPU time and memory";
            return Err(failed(io::Error::new(io::ErrorKind::Unsupported, cause)));
        }
        let log = open_log(context)?;
        // Held until the group is listed, so that `kill_all` misses none.
        let mut live = LIVE.lock();
        let groups = live.as_mut().ok_or_else(|| failed(io::ErrorKind::Interrupted.into()))?;
        let mut command = Command::new(program);
        if context.conditions.measured {
            // The judge's machine has none of this user's variables, such as PYTHONUNBUFFERED.
            let kept = KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(kept);
        }
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let gone = || failed(io::ErrorKind::BrokenPipe.into());
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        groups.insert(id.as_raw_nonzero().get());
        drop(live);
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or_else(gone)?;
        let stderr = child.stderr.take().ok_or_else(gone)?;
        let end = open_end(id).map_err(|error| {
            end_group(&mut child, id);
            failed(error.into())
        })?;
        // From here on the group ends by its drop, whatever else fails.
        let group = ProcessGroup {
            child,
            id,
            end,
            stdin,
            stdout,
            stderr,
            complains: true,
            complaint: Vec::new(),
            log,
            charged: Duration::ZERO,
            peak_memory: 0,
            stopped: false,
        };
        if let Some(limit) = entrant.cpu_limit(context.conditions) {
            // A last resort: a limit that is refused, since a tighter one is in force, is not missed.
            let _ = set_limit(id, Resource::Cpu, limit);
        }
        let prepared = ioctl_fionbio(&group.stdin, true)
            .and_then(|()| ioctl_fionbio(&group.stdout, true))
            .and_then(|()| ioctl_fionbio(&group.stderr, true))
            .and_then(|()| match entrant.memory_limit.map(|limit| set_limit(id, Resource::As, limit)) {
                // What the program maps from here on counts; one that has ended needs no limit.
                None | Some(Err(Errno::SRCH)) => Ok(()),
                Some(set) => set,
            });
        prepared.map(|()| group).map_err(|error| failed(error.into()))
    }

    pub(super) fn proceed(&mut self) {
        if std::mem::take(&mut self.stopped) {
            // A group that is gone is noticed by its end.
            let _ = kill_process_group(self.id, Signal::CONT);
        }
    }

    /// Stops the program until [`ProcessGroup::proceed`].
    pub(super) fn pause(&mut self) {
        self.stopped = kill_process_group(self.id, Signal::STOP).is_ok();
    }

    /// Looks at the most memory that its processes have had so far.
    pub(super) fn look_at_memory(&mut self) {
        self.peak_memory = self.peak_memory.max(cpu::group_memory(self.id));
    }

    /// Reads what there is on standard error: into the log, and its end for reports of faults.
    pub(super) fn read_complaint(&mut self) {
        let mut chunk = [0; 1 << 12];
        // No more than a pipe holds, so that a program that floods it cannot keep this thread.
        for _ in 0..16 {
            let length = match self.stderr.read(&mut chunk) {
                Ok(0) => {
                    self.complains = false;
                    return;
                }
                Ok(length) => length,
                Err(_) => return,
            };
            self.complaint.extend_from_slice(&chunk[..length]);
            self.complaint.drain(..self.complaint.len().saturating_sub(MOST_COMPLAINT));
            if let Some(Err(error)) = self.log.as_mut().map(|log| log.write_all(&chunk[..length])) {
                self.log = None;
                // A log that cannot be written ends neither the game nor the match.
                let _ =
                    writeln!(io::stderr(), "quiver: warning: a log of standard error is given up: {error}");
            }
        }
    }

    /// The end of standard error, from the beginning of a line.
    pub(super) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.complaint);
        let cut = self.complaint.len() == MOST_COMPLAINT;
        text.split_once('\n').filter(|_| cut).map_or(&*text, |(_, rest)| rest).to_owned()
    }

    /// The fault of a program that has ended, unless its status is 0.
    pub(super) fn status(&mut self) -> Result<(), PlayerFault> {
        let status = self.child.try_wait().ok().flatten();
        let end = match status.map_or((None, None), |status| (status.code(), status.signal())) {
            (Some(0), _) => return Ok(()),
            (Some(code), _) => format!("ended with status {code}"),
            (_, Some(4)) => "ended by an illegal instruction (signal 4)".to_owned(),
            (_, Some(6)) => "ended by abort (signal 6)".to_owned(),
            (_, Some(8)) => "ended by an arithmetic fault (signal 8)".to_owned(),
            (_, Some(11)) => "ended by a segmentation fault (signal 11)".to_owned(),
            (_, Some(other)) => format!("ended by signal {other}"),
            _ => "ended".to_owned(),
        };
        Err(PlayerFault::new(EndKind::Crash, end))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        end_group(&mut self.child, self.id);
        self.read_complaint();
    }
}

fn end_group(child: &mut Child, id: Pid) {
    // Also a leader that has ended may have left children; a group without members is an error to
    // ignore.
    let _ = kill_process_group(id, Signal::KILL);
    if let Some(groups) = LIVE.lock().as_mut() {
        groups.remove(&id.as_raw_nonzero().get());
    }
    let _ = child.wait();
}

/// A descriptor that becomes readable when the process has ended.
#[cfg(target_os = "linux")]
fn open_end(id: Pid) -> rustix::io::Result<OwnedFd> {
    pidfd_open(id, PidfdFlags::empty())
}

#[cfg(not(target_os = "linux"))]
fn open_end(_: Pid) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOTSUP)
}

#[cfg(target_os = "linux")]
fn set_limit(id: Pid, resource: Resource, limit: u64) -> rustix::io::Result<()> {
    prlimit(Some(id), resource, Rlimit { current: Some(limit), maximum: Some(limit) }).map(|_| ())
}

#[cfg(not(target_os = "linux"))]
fn set_limit(_: Pid, _: Resource, _: u64) -> rustix::io::Result<()> {
    Err(Errno::NOTSUP)
}

/// The file that keeps standard error: none, the end of a file, or a file of its own in a
/// directory.
fn open_log(context: &GameContext<'_>) -> Result<Option<File>, LaunchError> {
    let Some(log) = &context.run.log else { return Ok(None) };
    let path = if fs::metadata(log).is_ok_and(|found| found.is_dir()) {
        // Numbered from 1, as in reports and match logs.
        log.join(format!("game-{:06}-{}.log", context.game + 1, Side::BOTH[context.seat]))
    } else {
        log.clone()
    };
    let file = files::append(&path);
    file.map(Some).map_err(|cause| LaunchError(format!("the log {}: {cause}", path.display())))
}
