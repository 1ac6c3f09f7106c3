//! A program in a process group of its own: started, stopped and continued, ended with all its children.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, kill_process_group, pidfd_open, prlimit};

use super::{Launch, LaunchError, cpu};
use crate::contest::entrant::Table;
use crate::files;

/// The groups that live, for [`kill_all`].
static LIVE: Mutex<Live> = Mutex::new(Live { groups: BTreeSet::new(), closed: false });

struct Live {
    groups: BTreeSet<i32>,
    /// Whether no more may begin.
    closed: bool,
}

/// Kills every program that was started from here and starts no more, for an end that does not wait.
pub fn kill_all() {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.closed = true;
    for &raw in &live.groups {
        if let Some(group) = Pid::from_raw(raw) {
            // One that is gone already is what was wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A program and whatever it starts; all of it is killed on drop.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    pub(super) id: Pid,
    /// Becomes readable when the program has ended, whoever else holds its pipes.
    pub(super) end: OwnedFd,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    /// CPU time at the end of the last exchange: what comes after belongs to the next.
    pub(super) charged: Duration,
    stopped: bool,
}

impl ProcessGroup {
    /// Starts a program.
    pub(super) fn start(launch: &Launch<'_>, table: &Table<'_>) -> Result<ProcessGroup, LaunchError> {
        let command = || launch.command.join(" ");
        let failed = |cause| LaunchError::Start { command: command(), cause };
        let [program, arguments @ ..] = launch.command else {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        };
        let standard_error = standard_error(table)?;
        // Held until the group is entered, so that none is missed by who kills them all.
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if live.closed {
            return Err(failed(io::ErrorKind::Interrupted.into()));
        }
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(standard_error)
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let gone = || failed(io::ErrorKind::BrokenPipe.into());
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        live.groups.insert(id.as_raw_nonzero().get());
        drop(live);
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or_else(gone)?;
        let end = pidfd_open(id, PidfdFlags::empty());
        // From here on the group ends by its drop, whatever else fails.
        let end = match end {
            Ok(end) => end,
            Err(error) => {
                end_group(&mut child, id);
                return Err(failed(error.into()));
            }
        };
        let group = ProcessGroup { child, id, end, stdin, stdout, charged: Duration::ZERO, stopped: false };
        let prepared = nonblocking(&group.stdin)
            .and_then(|()| nonblocking(&group.stdout))
            .and_then(|()| limit_memory(id, launch.memory_limit));
        limit_cpu(id, launch.cpu_limit);
        match prepared {
            Ok(()) => Ok(group),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// Lets the program run on.
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

    /// CPU time so far.
    pub(super) fn cpu_time(&self) -> Duration {
        cpu::group_time(self.id)
    }

    /// How the program ended, which it must have.
    pub(super) fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        end_group(&mut self.child, self.id);
    }
}

fn end_group(child: &mut Child, id: Pid) {
    // Also a leader that has ended may have left children; a group without anybody is an error to ignore.
    let _ = kill_process_group(id, Signal::KILL);
    LIVE.lock().unwrap_or_else(PoisonError::into_inner).groups.remove(&id.as_raw_nonzero().get());
    let _ = child.wait();
}

fn nonblocking(pipe: &impl rustix::fd::AsFd) -> rustix::io::Result<()> {
    fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)
}

/// Limits the address space of a program that has just begun: what it maps from here on counts against it.
fn limit_memory(id: Pid, limit: Option<u64>) -> rustix::io::Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let both = Rlimit { current: Some(limit), maximum: Some(limit) };
    match prlimit(Some(id), Resource::As, both) {
        // One that has ended already needs no limit.
        Ok(_) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Limits the CPU time of a program, as a last resort: a limit that is refused, since a tighter one is in force, is not
/// missed.
fn limit_cpu(id: Pid, limit: Option<u64>) {
    if let Some(limit) = limit {
        let both = Rlimit { current: Some(limit), maximum: Some(limit) };
        let _ = prlimit(Some(id), Resource::Cpu, both);
    }
}

/// Where standard error goes: nowhere, to the end of a file, or into a file of its own in a directory.
fn standard_error(table: &Table<'_>) -> Result<Stdio, LaunchError> {
    let Some(log) = table.log else { return Ok(Stdio::null()) };
    let path = if fs::metadata(log).is_ok_and(|found| found.is_dir()) {
        // Numbered from 1, as in reports and match logs.
        let seat = if table.seat == 0 { "first" } else { "second" };
        log.join(format!("game-{:06}-{seat}.log", table.game + 1))
    } else {
        log.clone()
    };
    files::append(&path)
        .map(Stdio::from)
        .map_err(|cause| LaunchError::Log { path: path.display().to_string(), cause })
}

/// What an exit status says, for people.
pub(super) fn describe(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with status {code}"),
            (_, Some(signal)) => format!("ended by signal {signal}"),
            _ => "ended".to_owned(),
        },
        None => "ended".to_owned(),
    }
}
