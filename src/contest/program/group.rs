//! A program in its own process group or job object, with the threads that read its output. The
//! program can be paused and continued, and is killed together with its child processes.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use amazons::Move;

use super::child::{Child, fatal_signal};
use super::log::{Log, Tail};
use super::processes::{MARKER_VARIABLE, ProcessFamily, ProcessSnapshot, end_strays, take_snapshot};
use crate::contest::{Entrant, Evidence, GameContext, LaunchError, PlayerFault, ProgramExit};
use crate::games::EndKind;

/// The names of the environment variables that a Botzone bot inherits.
const KEPT_VARIABLES: &str = "PATH HOME LANG TMPDIR LD_LIBRARY_PATH SystemRoot SystemDrive ComSpec PATHEXT TEMP TMP \
                    USERPROFILE APPDATA";

/// The most bytes of a program's standard error that are kept for reports.
const MAX_REPORTED_ERROR: usize = 2000;

/// A number of bytes that fit into an empty pipe on every operating system.
const PIPE_CAPACITY: usize = 4096;

/// The capacity of the channel to the referee, in events. When it is full, the threads that read
/// the program's output stop, so the program must wait.
const MAX_QUEUED_EVENTS: usize = 16;

/// The longest time to read output of a killed program, if another process keeps a pipe open.
const PIPE_TIMEOUT: Duration = Duration::from_secs(5);

/// A message to the referee from the threads that read a program's output and wait for its end.
#[derive(Debug)]
pub(super) enum ProgramEvent {
    Output(Vec<u8>),
    StandardError(Vec<u8>),
    /// The program has ended. Its child processes may still keep the pipes open.
    Ended,
}

/// A running program with its child processes. All are killed when this value is dropped.
#[derive(Debug)]
pub(in crate::contest) struct ProcessGroup {
    child: Child,
    family: Arc<ProcessFamily>,
    /// The program's standard input. `None` once a thread writes to it.
    stdin: Option<ChildStdin>,
    /// The number of bytes sent to the program so far.
    sent_bytes: usize,
    writer: Option<Sender<Vec<u8>>>,
    /// The channel of events with their times. It is disconnected after the program has ended and
    /// its pipes are closed. A crossbeam channel would use CPU time, because its receiver spins.
    pub(super) events: Receiver<(Instant, ProgramEvent)>,
    /// True if [`ProgramEvent::Ended`] has been received.
    pub(super) ended: bool,
    /// The last part of the program's standard error so far.
    pub(super) standard_error: Tail,
    /// True if the referee does not pause the program in its opponent's turns.
    ponders: bool,
    /// Output that came after the end of the last answer. It is the beginning of the next answer.
    pub(super) ahead: Vec<u8>,
    log: Option<Log>,
    /// The program's total CPU time at its last answer. Later CPU time counts for its next answer.
    pub(super) cpu_at_answer: Duration,
    /// The largest memory use in any snapshot so far, in bytes.
    pub(super) peak_memory: u64,
}

impl ProcessGroup {
    pub(in crate::contest) fn start(
        entrant: &Entrant,
        context: &GameContext<'_>,
    ) -> Result<ProcessGroup, LaunchError> {
        ProcessGroup::start_in(Arc::new(ProcessFamily::new()), entrant, context)
    }

    pub(super) fn start_in(
        family: Arc<ProcessFamily>,
        entrant: &Entrant,
        context: &GameContext<'_>,
    ) -> Result<ProcessGroup, LaunchError> {
        let words = entrant.spec.command();
        let failed = |cause: io::Error| LaunchError(format!("'{}' does not start: {cause}", words.join(" ")));
        let (program, arguments) =
            words.split_first().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?;
        let log = Log::open(context)?;
        let mut command = Command::new(program);
        if entrant.is_botzone_bot() {
            // As on Botzone, the bot gets none of the user's variables except `KEPT_VARIABLES`.
            let kept = KEPT_VARIABLES.split(' ').filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(kept);
        }
        command.args(arguments).env(MARKER_VARIABLE, &family.marker);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Child::start(command).map_err(failed)?;
        let (stdin, stdout, stderr) = child.streams();
        let (event_sender, events) = sync_channel(MAX_QUEUED_EVENTS);
        // If a later step fails, dropping the group kills the program.
        let group = ProcessGroup {
            child,
            family,
            stdin,
            sent_bytes: 0,
            writer: None,
            events,
            ended: false,
            standard_error: Tail::new(MAX_REPORTED_ERROR),
            ponders: entrant.ponder,
            ahead: Vec::new(),
            log,
            cpu_at_answer: Duration::ZERO,
            peak_memory: 0,
        };
        limits::set(group.child.id, entrant, context.conditions).map_err(failed)?;
        let listening = (|| {
            if let (Some(stdout), Some(stderr)) = (stdout, stderr) {
                forward(stdout, event_sender.clone(), ProgramEvent::Output)?;
                forward(stderr, event_sender.clone(), ProgramEvent::StandardError)?;
            }
            // Sending fails only after the group was dropped, so the error is ignored.
            group.child.on_end(move || drop(event_sender.send((Instant::now(), ProgramEvent::Ended))))
        })();
        listening.map(|()| group).map_err(failed)
    }

    /// Sends a request without blocking. If this and all earlier requests together exceed
    /// `PIPE_CAPACITY`, the pipe could be full, so a thread writes this request.
    pub(super) fn send(&mut self, request: &[u8]) {
        self.sent_bytes += request.len();
        if let Some(stdin) = self.stdin.as_mut().filter(|_| self.sent_bytes <= PIPE_CAPACITY) {
            // An error of a closed pipe is ignored. Only a missing or wrong answer is a fault.
            let _ = stdin.write_all(request);
            return;
        }
        if let Some(mut stdin) = self.stdin.take() {
            let (requests, to_write) = channel::<Vec<u8>>();
            let write = move || to_write.iter().all(|request| stdin.write_all(&request).is_ok());
            // If the thread cannot start, the program gets no request and counts as stalled.
            let _ = thread::Builder::new().name("input".into()).spawn(write);
            self.writer = Some(requests);
        }
        if let Some(writer) = &self.writer {
            let _ = writer.send(request.to_vec());
        }
    }

    /// Takes a snapshot of the program's processes. `None` if the system does not report them.
    pub(super) fn take_snapshot(&mut self) -> Option<ProcessSnapshot> {
        let snapshot = take_snapshot(self.child.id, &self.family.marker)?;
        self.peak_memory = self.peak_memory.max(snapshot.memory);
        Some(snapshot)
    }

    /// Pauses the processes until [`ProcessGroup::proceed`] is called. Does nothing on Windows, or
    /// if the program may ponder.
    pub(super) fn pause(&self) {
        if !self.ponders {
            #[cfg(unix)]
            self.child.signal(rustix::process::Signal::STOP);
        }
    }

    pub(super) fn proceed(&self) {
        #[cfg(unix)]
        self.child.signal(rustix::process::Signal::CONT);
    }

    pub(super) fn add_standard_error(&mut self, bytes: &[u8]) {
        self.standard_error.extend(bytes);
        if let Some(log) = &mut self.log {
            log.write(bytes);
        }
    }

    /// Kills the program with all its processes, and reads the rest of its output. Standard output
    /// is passed to `output`, and standard error is kept for reports.
    pub(super) fn kill_and_drain(&mut self, mut output: impl FnMut(Vec<u8>)) {
        self.child.kill();
        let begun = Instant::now();
        let mut swept = begun;
        while begun.elapsed() < PIPE_TIMEOUT {
            // Processes that have left the group may hold the pipes open, and are killed here. They
            // may also write without end, so the time decides, and not a pause in the output.
            if swept.elapsed() >= PIPE_TIMEOUT / 100 {
                end_strays(Some(&self.family.marker));
                swept = Instant::now();
            }
            match self.events.recv_timeout(PIPE_TIMEOUT / 100) {
                Ok((_, ProgramEvent::Output(bytes))) => output(bytes),
                Ok((_, ProgramEvent::StandardError(bytes))) => self.add_standard_error(&bytes),
                Ok((_, ProgramEvent::Ended)) => self.ended = true,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Waits for the program's exit status. `None` if the status is unknown or 0.
    pub(super) fn wait_for_abnormal_exit(&self) -> Option<ProgramExit> {
        let status = self.child.wait().ok()?;
        match (fatal_signal(status), status.code()) {
            (Some(signal), _) => Some(ProgramExit::Signal(signal)),
            (None, code) => code.filter(|&code| code != 0).map(ProgramExit::Status),
        }
    }

    pub(super) fn evidence(&self, input: String, answer: &Result<Move, PlayerFault>) -> Evidence {
        let crashed = answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
        let exit = if crashed { self.wait_for_abnormal_exit() } else { None };
        Evidence { input, standard_error: self.standard_error.text(), exit }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill_and_drain(drop);
        let _ = self.child.wait();
    }
}

/// Starts a thread that reads a stream to its end and sends the bytes as events.
fn forward(
    mut stream: impl Read + Send + 'static,
    event_sender: SyncSender<(Instant, ProgramEvent)>,
    make_event: fn(Vec<u8>) -> ProgramEvent,
) -> io::Result<()> {
    let read = move || {
        let mut chunk = [0; 1 << 14];
        loop {
            let length = match stream.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(length @ 1..) => length,
                _ => return,
            };
            if event_sender.send((Instant::now(), make_event(chunk[..length].to_vec()))).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("output".into()).spawn(read).map(drop)
}

/// Limits the CPU time and the memory of a program's processes. This is possible on Linux only.
mod limits {
    use std::io;

    use crate::contest::{Entrant, GameConditions};

    #[cfg(target_os = "linux")]
    pub(super) fn set(id: u32, entrant: &Entrant, conditions: GameConditions) -> io::Result<()> {
        use rustix::io::Errno;
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let id = i32::try_from(id).ok().and_then(Pid::from_raw);
        let set = |resource, limit| {
            prlimit(id, resource, Rlimit { current: Some(limit), maximum: Some(limit) }).map(|_| ())
        };
        if let Some(limit) = entrant.cpu_limit(conditions) {
            // An error is ignored, because it means that a smaller limit is already set.
            let _ = set(Resource::Cpu, limit);
        }
        match entrant.memory_limit.map(|limit| set(Resource::As, limit)) {
            // The limit applies to memory that the program maps from now on. The error `SRCH` is
            // ignored, because it means that the program has ended.
            None | Some(Ok(()) | Err(Errno::SRCH)) => Ok(()),
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn set(_: u32, entrant: &Entrant, _: GameConditions) -> io::Result<()> {
        let cause = "a memory limit works on Linux only: expected no memory_limit and no --memory-limit";
        entrant.memory_limit.map_or(Ok(()), |_| Err(io::Error::new(io::ErrorKind::Unsupported, cause)))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::contest::{GameConditions, RunOptions};
    use crate::search::EngineOptions;

    #[test]
    fn tells_a_busy_group_from_a_sleeping_one() {
        let (conditions, run) = (GameConditions::default(), &RunOptions::default());
        // In the first three scripts, a descendant of the shell runs an endless loop. In two of
        // these scripts, `setsid` puts this descendant into another process group. In the last
        // script, the shell becomes a zombie.
        let busy: fn(ProcessSnapshot) -> bool = |snapshot| snapshot.runnable;
        for (script, expected) in [
            ("(while :; do :; done) & wait", busy),
            ("setsid sh -c \"while :; do :; done\" & wait", busy),
            ("(setsid sh -c \"while :; do :; done\" &)", busy),
            ("sleep 3600", |snapshot| !snapshot.runnable && snapshot.alive),
            ("exit 0", |snapshot| !snapshot.alive),
        ] {
            let player = format!("cmd:sh -c '{script}'").parse().unwrap();
            let player = Entrant::new(player, &EngineOptions::default());
            let context = GameContext::new(conditions, 0, run);
            let mut group = ProcessGroup::start(&player, &context).unwrap();
            let begun = Instant::now();
            while !expected(group.take_snapshot().unwrap()) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{script}");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
