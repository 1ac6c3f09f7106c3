//! Starts and kills programs, each in its own process group (Unix) or job object (Windows). A list
//! has the processes of all running programs, so that one call can kill all programs.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Weak};
use std::thread;
#[cfg(windows)]
use std::time::Duration;

use parking_lot::Mutex;
use process_wrap::std::{ChildWrapper, CommandWrap};

type SharedProcess = Mutex<Box<dyn ChildWrapper>>;

/// The running processes. The key is the id of a process's group. `None` after [`kill_live`].
static PROCESSES: Mutex<Option<BTreeMap<u32, Weak<SharedProcess>>>> = Mutex::new(Some(BTreeMap::new()));

/// The leader of a process group. `PROCESSES` has the process until this value is dropped.
#[derive(Debug)]
pub(super) struct Child {
    process: Arc<SharedProcess>,
    pub(super) id: u32,
}

/// Kills the groups of all running processes. Later starts of a process fail.
pub(super) fn kill_live() {
    let live = PROCESSES.lock().take();
    for process in live.into_iter().flatten().filter_map(|(_, process)| process.upgrade()) {
        // An error is ignored, because it means that the group has ended already.
        let _ = process.lock().start_kill();
        let _ = wait(&process);
    }
}

/// True if the leader of this group is running. With `None`, true if any process that
/// [`Child::start`] has started is running.
#[cfg(target_os = "linux")]
pub(super) fn is_live(group: Option<u32>) -> bool {
    PROCESSES.lock().as_ref().is_some_and(|live| group.map_or(!live.is_empty(), |id| live.contains_key(&id)))
}

impl Child {
    pub(super) fn start(command: Command) -> io::Result<Child> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        // The list stays locked until the new process is in it, so `kill_live` finds every process.
        let mut live = PROCESSES.lock();
        let groups = live.as_mut().ok_or(ErrorKind::Interrupted)?;
        let process = command.spawn()?;
        let id = process.id();
        let process = Arc::new(Mutex::new(process));
        groups.insert(id, Arc::downgrade(&process));
        Ok(Child { process, id })
    }

    pub(super) fn streams(&self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let mut process = self.process.lock();
        (process.stdin().take(), process.stdout().take(), process.stderr().take())
    }

    /// Kills all processes of the group.
    pub(super) fn kill(&self) {
        // An error means that the group has ended already.
        let _ = self.process.lock().start_kill();
    }

    /// Sends a signal to all processes of the group.
    #[cfg(unix)]
    pub(super) fn signal(&self, signal: rustix::process::Signal) {
        // An error means that the group has ended. The event `Ended` reports this.
        let _ = self.process.lock().signal(signal.as_raw());
    }

    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        wait(&self.process)
    }

    /// Starts a thread that calls `ended` when the process has ended. The process stays a zombie,
    /// so that its CPU time can still be read.
    #[cfg(unix)]
    pub(super) fn on_end(&self, ended: impl FnOnce() + Send + 'static) -> io::Result<()> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let id = i32::try_from(self.id).ok().and_then(Pid::from_raw).ok_or(ErrorKind::NotFound)?;
        let wait = move || {
            let end = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            // If a signal interrupts `waitid`, the thread waits again. Otherwise the process ended.
            while waitid(WaitId::Pid(id), end).is_err_and(|error| error == rustix::io::Errno::INTR) {}
            ended();
        };
        thread::Builder::new().name("end".into()).spawn(wait).map(drop)
    }

    #[cfg(windows)]
    pub(super) fn on_end(&self, ended: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let process = Arc::clone(&self.process);
        let await_end = move || {
            let _ = wait(&process);
            ended();
        };
        thread::Builder::new().name("end".into()).spawn(await_end).map(drop)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(groups) = PROCESSES.lock().as_mut() {
            groups.remove(&self.id);
        }
    }
}

#[cfg(unix)]
fn wait(process: &SharedProcess) -> io::Result<ExitStatus> {
    process.lock().wait()
}

/// Waits until the process has ended, by polling. `wait` of `process_wrap` would wait for a message
/// of the job object, and [`Child::on_end`] may already have received this message.
#[cfg(windows)]
fn wait(process: &SharedProcess) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = process.lock().try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
pub(super) fn fatal_signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// The Unix signal that corresponds to a Windows exception code.
#[cfg(windows)]
pub(super) fn fatal_signal(status: ExitStatus) -> Option<i32> {
    match status.code()? as u32 {
        0xC000_001D => Some(4),
        0xC000_0094 => Some(8),
        0xC000_0005 => Some(11),
        _ => None,
    }
}
