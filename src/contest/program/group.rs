//! A program in a process group or job object of its own: started, heard, stopped and continued, and
//! ended with all its children.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use amazons::Move;

use super::child::{Child, fatal_signal};
use super::log::{Log, Tail};
use super::processes::{Family, Look, MARKER};
use crate::contest::{Entrant, Evidence, GameContext, LaunchError, PlayerFault, ProgramExit};
use crate::games::EndKind;
use crate::words::Language;

/// The variables of the environment that a bot of Botzone's forms gets, on any system.
const KEPT: &str = "PATH HOME LANG TMPDIR LD_LIBRARY_PATH SystemRoot SystemDrive ComSpec PATHEXT TEMP TMP \
                    USERPROFILE APPDATA";

/// Bytes of standard error that are kept for reports.
const MOST_COMPLAINT: usize = 2000;

/// The bytes that a pipe takes on every system before anybody reads them.
const UNREAD: usize = 4096;

/// The pieces of output that wait for the referee before the program has to wait.
const MOST_WAITING: usize = 16;

/// The longest wait for a pipe that a process holds open although it was killed.
const HELD: Duration = Duration::from_secs(5);

/// A report of the threads that listen to a program.
#[derive(Debug)]
pub(super) enum News {
    Output(Vec<u8>),
    StandardError(Vec<u8>),
    /// The program has ended, even if its children hold the pipes.
    Ended,
}

/// A program and whatever it starts; all of it is killed on drop.
#[derive(Debug)]
pub(in crate::contest) struct ProcessGroup {
    child: Child,
    id: u32,
    family: Arc<Family>,
    /// Its input, until a thread writes there.
    stdin: Option<ChildStdin>,
    /// Bytes sent so far.
    sent: usize,
    writer: Option<Sender<Vec<u8>>>,
    /// Reports with their times; disconnected once the program has ended and its pipes are closed.
    /// A receiver of crossbeam spins before it sleeps, which costs a quarter of the CPU time of a turn.
    pub(super) news: Receiver<(Instant, News)>,
    /// True once [`News::Ended`] has come.
    pub(super) ended: bool,
    standard_error: Tail,
    /// True if it goes on while the opponent is to move.
    ponders: bool,
    /// Output beyond the last answer, which belongs to the next.
    pub(super) ahead: Vec<u8>,
    log: Option<Log>,
    /// CPU time at the end of the last exchange: what comes after belongs to the next.
    pub(super) charged: Duration,
    /// The most memory that a look has found, in bytes.
    pub(super) peak_memory: u64,
}

impl ProcessGroup {
    pub(in crate::contest) fn start(
        entrant: &Entrant,
        context: &GameContext<'_>,
    ) -> Result<ProcessGroup, LaunchError> {
        ProcessGroup::start_in(Arc::new(Family::new()), entrant, context)
    }

    /// Starts a program whose left-over processes end with the family.
    pub(super) fn start_in(
        family: Arc<Family>,
        entrant: &Entrant,
        context: &GameContext<'_>,
    ) -> Result<ProcessGroup, LaunchError> {
        let words = entrant.kind.command();
        let failed = |cause: io::Error| LaunchError(format!("'{}' does not start: {cause}", words.join(" ")));
        let (program, arguments) =
            words.split_first().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?;
        let log = Log::open(context)?;
        let mut command = Command::new(program);
        if entrant.is_botzone_bot() {
            // The judge's machine has none of this user's variables, such as PYTHONUNBUFFERED.
            let kept = KEPT.split(' ').filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(kept);
        }
        command.args(arguments).env(MARKER, &family.marker);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Child::start(command).map_err(failed)?;
        let (id, (stdin, stdout, stderr)) = (child.id(), child.streams());
        let (report, news) = sync_channel(MOST_WAITING);
        // From here on the group ends by its drop, whatever else fails.
        let group = ProcessGroup {
            child,
            id,
            family,
            stdin,
            sent: 0,
            writer: None,
            news,
            ended: false,
            standard_error: Tail::new(MOST_COMPLAINT),
            ponders: entrant.ponder == Some(true),
            ahead: Vec::new(),
            log,
            charged: Duration::ZERO,
            peak_memory: 0,
        };
        limits::set(id, entrant, context.conditions).map_err(failed)?;
        let listening = (|| {
            if let (Some(stdout), Some(stderr)) = (stdout, stderr) {
                forward(stdout, report.clone(), News::Output)?;
                forward(stderr, report.clone(), News::StandardError)?;
            }
            // The receiver is gone where the group is dropped.
            group.child.on_end(move || drop(report.send((Instant::now(), News::Ended))))
        })();
        listening.map(|()| group).map_err(failed)
    }

    /// Sends a request. A program that does not read it stops a thread, not the caller.
    pub(super) fn send(&mut self, request: &[u8]) {
        self.sent += request.len();
        if let Some(stdin) = self.stdin.as_mut().filter(|_| self.sent <= UNREAD) {
            // A closed pipe is no fault yet: the program's output, or its end, tells more.
            let _ = stdin.write_all(request);
            return;
        }
        if let Some(mut stdin) = self.stdin.take() {
            let (requests, to_write) = channel::<Vec<u8>>();
            let write = move || to_write.iter().all(|request| stdin.write_all(&request).is_ok());
            // Without the thread the program gets no request, and stalls.
            let _ = thread::Builder::new().name("input".into()).spawn(write);
            self.writer = Some(requests);
        }
        if let Some(writer) = &self.writer {
            let _ = writer.send(request.to_vec());
        }
    }

    /// Looks at its processes, where the system tells about them.
    pub(super) fn look(&mut self) -> Option<Look> {
        let look = self.family.look(self.id)?;
        self.peak_memory = self.peak_memory.max(look.memory);
        Some(look)
    }

    /// Stops a program that does not ponder until [`ProcessGroup::proceed`], where the system can.
    pub(super) fn pause(&self) {
        if !self.ponders {
            #[cfg(unix)]
            self.signal(rustix::process::Signal::STOP);
        }
    }

    pub(super) fn proceed(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        // A group that is gone is noticed by its end.
        let _ = self.child.signal(signal.as_raw());
    }

    /// Takes what came on standard error: into the log, and its end for reports of faults.
    pub(super) fn take_standard_error(&mut self, bytes: &[u8]) {
        self.standard_error.extend(bytes);
        if let Some(log) = &mut self.log {
            log.write(bytes);
        }
    }

    /// The end of standard error so far, from the beginning of a line.
    pub(super) fn standard_error(&self) -> String {
        self.standard_error.text()
    }

    /// Kills the program with all that it started, and hears the rest of what it said: standard error
    /// is kept, and output goes to `output`.
    pub(super) fn finish(&mut self, mut output: impl FnMut(Vec<u8>)) {
        // A group that is gone is an error to ignore.
        let _ = self.child.kill();
        let latest = Instant::now() + HELD;
        loop {
            match self.news.recv_timeout(HELD / 100) {
                Ok((_, News::Output(bytes))) => output(bytes),
                Ok((_, News::StandardError(bytes))) => self.take_standard_error(&bytes),
                Ok((_, News::Ended)) => self.ended = true,
                // What has left the group may hold the pipes.
                Err(RecvTimeoutError::Timeout) if Instant::now() < latest => self.family.end_strays(),
                Err(_) => return,
            }
        }
    }

    /// The fault of a program that has ended and is finished, unless its status is 0.
    pub(super) fn status(&mut self) -> Result<(), PlayerFault> {
        let crash = |exit: ProgramExit| PlayerFault::new(EndKind::Crash, exit.text(Language::English));
        self.exit().map_or(Ok(()), |exit| Err(crash(exit)))
    }

    /// The exit of a program that has ended and is finished, unless its status is 0 or unknown.
    fn exit(&mut self) -> Option<ProgramExit> {
        let status = self.child.wait().ok()?;
        match (fatal_signal(status), status.code()) {
            (Some(signal), _) => Some(ProgramExit::Signal(signal)),
            (None, code) => code.filter(|&code| code != 0).map(ProgramExit::Status),
        }
    }

    /// The evidence of a turn with this request and this answer.
    pub(super) fn evidence(&mut self, input: String, answer: &Result<Move, PlayerFault>) -> Evidence {
        let crashed = answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
        let exit = if crashed { self.exit() } else { None };
        Evidence { input, standard_error: self.standard_error(), exit }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.finish(drop);
        let _ = self.child.wait();
    }
}

/// Reports what a stream brings, from a thread, until its end.
fn forward(
    mut stream: impl Read + Send + 'static,
    report: SyncSender<(Instant, News)>,
    news: fn(Vec<u8>) -> News,
) -> io::Result<()> {
    let read = move || {
        let mut chunk = [0; 1 << 14];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => return,
                Ok(length) => {
                    if report.send((Instant::now(), news(chunk[..length].to_vec()))).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    };
    thread::Builder::new().name("output".into()).spawn(read).map(drop)
}

/// The limits of a program's processes, which Linux alone can set from outside.
mod limits {
    use std::io;

    use crate::contest::{Conditions, Entrant};

    #[cfg(target_os = "linux")]
    pub(super) fn set(id: u32, entrant: &Entrant, conditions: Conditions) -> io::Result<()> {
        use rustix::io::Errno;
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let id = i32::try_from(id).ok().and_then(Pid::from_raw);
        let set = |resource, limit| {
            prlimit(id, resource, Rlimit { current: Some(limit), maximum: Some(limit) }).map(|_| ())
        };
        if let Some(limit) = entrant.cpu_limit(conditions) {
            // A last resort: a limit that is refused, since a tighter one is in force, is not missed.
            let _ = set(Resource::Cpu, limit);
        }
        match entrant.memory_limit.map(|limit| set(Resource::As, limit)) {
            // What the program maps from here on counts; one that has ended needs no limit.
            None | Some(Ok(()) | Err(Errno::SRCH)) => Ok(()),
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn set(_: u32, entrant: &Entrant, _: Conditions) -> io::Result<()> {
        let cause = "a limit of memory needs Linux; expected no memory_limit and no --memory-limit";
        entrant.memory_limit.map_or(Ok(()), |_| Err(io::Error::new(io::ErrorKind::Unsupported, cause)))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::contest::{Conditions, RunOptions};
    use crate::search::EngineOptions;

    #[test]
    fn tells_a_busy_group_from_a_sleeping_one() {
        let (conditions, run) = (Conditions::default(), &RunOptions::default());
        // The busy loop is a child of a shell that sleeps, as the threads of an interpreter may be, or
        // it has left the group. A program that has ended is a zombie until it is waited for.
        let busy: fn(Look) -> bool = |look| look.runnable;
        for (script, expected) in [
            ("(while :; do :; done) & wait", busy),
            ("setsid sh -c \"while :; do :; done\" & wait", busy),
            ("(setsid sh -c \"while :; do :; done\" &)", busy),
            ("sleep 3600", |look| !look.runnable && look.alive),
            ("exit 0", |look| !look.alive),
        ] {
            let player = format!("cmd:sh -c '{script}'").parse().unwrap();
            let player = Entrant::new(player, &EngineOptions::default());
            let context = GameContext::new(conditions, 0, run);
            let mut group = ProcessGroup::start(&player, &context).unwrap();
            let begun = Instant::now();
            while !expected(group.look().unwrap()) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{script}");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
