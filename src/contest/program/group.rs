//! A program in a process group of its own: started, stopped and continued, ended with all its
//! children; and its CPU time, memory and state, read from `/proc`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use amazons::Side;
use parking_lot::Mutex;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Resource, Signal, kill_process_group};

use crate::games::EndKind;
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, Rlimit, pidfd_open, prlimit};

use crate::contest::{Entrant, GameContext, LaunchError, PlayerFault};
use crate::files;
use crate::messages::warn;

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
    /// Output beyond the last answer, which belongs to the next.
    pub(super) ahead: Vec<u8>,
    log: Option<File>,
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
        let words = entrant.command();
        let failed = |cause: io::Error| LaunchError(format!("'{}' does not start: {cause}", words.join(" ")));
        let command = words.split_first().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()));
        let (program, arguments) = command?;
        if !cfg!(target_os = "linux") {
            let cause = "a program as a player needs Linux, whose /proc tells its CPU time and memory";
            return Err(failed(io::Error::new(io::ErrorKind::Unsupported, cause)));
        }
        let log = open_log(context)?;
        // Held until the group is listed, so that `kill_all` misses none.
        let mut live = LIVE.lock();
        let groups = live.as_mut().ok_or_else(|| failed(io::ErrorKind::Interrupted.into()))?;
        let mut command = Command::new(program);
        if context.conditions.measured.is_some() {
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
            ahead: Vec::new(),
            log,
            charged: Duration::ZERO,
            peak_memory: 0,
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

    pub(super) fn proceed(&self) {
        // A group that is gone is noticed by its end.
        let _ = kill_process_group(self.id, Signal::CONT);
    }

    /// Stops the program until [`ProcessGroup::proceed`].
    pub(super) fn pause(&self) {
        let _ = kill_process_group(self.id, Signal::STOP);
    }

    /// Looks at the most memory that its processes have had so far, resident and added up.
    pub(super) fn look_at_memory(&mut self) {
        let peak = |(process, _): (String, u64)| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
        };
        self.peak_memory = self.peak_memory.max(self.members().filter_map(peak).sum::<u64>() << 10);
    }

    /// CPU time that its processes have used, with that of children they have waited for.
    ///
    /// Counted in the system's clock ticks, commonly 10 ms. A process that has ended counts until it is
    /// waited for, so the leader must be asked about before it is reaped; one that ended unnoticed by
    /// its parent, after that had ended as well, is lost.
    pub(super) fn cpu_time(&self) -> Duration {
        let ticks: u64 = self.members().map(|(_, ticks)| ticks).sum();
        Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64)
    }

    /// True if the state of one of its threads, as `/proc` has it, is so.
    pub(super) fn has_thread(&self, is_so: impl Fn(char) -> bool) -> bool {
        self.members().any(|(process, _)| {
            let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            threads.map(|thread| thread.path().join("stat")).any(|stat| {
                fs::read_to_string(stat)
                    .is_ok_and(|stat| fields(&stat).is_some_and(|(state, _)| state.starts_with(&is_so)))
            })
        })
    }

    /// Its processes by number, with the ticks of each.
    fn members(&self) -> impl Iterator<Item = (String, u64)> {
        let group = self.id;
        fs::read_dir("/proc").into_iter().flatten().filter_map(move |entry| {
            let name = entry.ok()?.file_name();
            let name = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))?;
            // A process may end between the listing and the reading.
            let ticks = ticks_in_group(&fs::read_to_string(format!("/proc/{name}/stat")).ok()?, group)?;
            Some((name.to_owned(), ticks))
        })
    }

    /// Reads what there is on standard error: into the log, and its end for reports of faults.
    pub(super) fn read_complaint(&mut self) {
        let mut chunk = [0; 1 << 12];
        // No more than a pipe holds, so that a program that floods it cannot keep this thread.
        for _ in 0..16 {
            let Ok(length) = self.stderr.read(&mut chunk) else { return };
            self.complains = length > 0;
            if !self.complains {
                return;
            }
            self.complaint.extend_from_slice(&chunk[..length]);
            self.complaint.drain(..self.complaint.len().saturating_sub(MOST_COMPLAINT));
            if let Some(Err(error)) = self.log.as_mut().map(|log| log.write_all(&chunk[..length])) {
                self.log = None;
                // A log that cannot be written ends neither the game nor the match.
                warn(format_args!("warning: a log of standard error is given up: {error}"));
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

/// The state of a line of `/proc/PID/stat`, and the fields after it.
fn fields(stat: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    // The second field is the program's name in parentheses and may hold anything, parentheses too.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    Some((fields.next()?, fields))
}

/// The ticks of a line of `/proc/PID/stat`, if the process is of this group.
fn ticks_in_group(stat: &str, group: Pid) -> Option<u64> {
    let (_, mut fields) = fields(stat)?;
    // parent, group
    let found: i32 = fields.nth(1)?.parse().ok()?;
    if found != group.as_raw_nonzero().get() {
        return None;
    }
    // From the group on, utime is the ninth field; utime, stime, cutime, cstime follow each other.
    fields.skip(8).take(4).map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::contest::{Conditions, RunOptions};
    use crate::search::EngineOptions;

    #[test]
    fn tells_a_busy_group_from_a_sleeping_one() {
        let (conditions, run) = (Conditions::default(), &RunOptions::default());
        // The busy loop is a child of a shell that sleeps, as the threads of an interpreter may be.
        // A program that has ended is a zombie until it is waited for.
        for (script, states, busy) in [
            ("(while :; do :; done) & wait", "RD", true),
            ("sleep 3600", "RD", false),
            ("exit 0", "RDSTtI", false),
        ] {
            let player = format!("cmd:sh -c '{script}'").parse().unwrap();
            let player = Entrant::new(player, &EngineOptions::default());
            let context = GameContext { conditions, seed: 0, game: 0, seat: 0, run };
            let group = ProcessGroup::start(&player, &context).unwrap();
            let begun = Instant::now();
            while group.has_thread(|state| states.contains(state)) != busy {
                assert!(begun.elapsed() < Duration::from_secs(60), "{script}");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn names_with_parentheses_do_not_confuse() {
        let stat =
            "8670 (a) b (c) T 8628 8671 3960 0 -1 4194304 1929 0 0 0 48 1 7 2 20 0 1 0 223842 16961536";
        let group = |raw| Pid::from_raw(raw).unwrap();
        assert_eq!(ticks_in_group(stat, group(8671)), Some(58));
        assert_eq!(ticks_in_group(stat, group(8670)), None);
        for broken in ["", "8670 (a", "8670 (a) T 1 8671", "8670 (a) T 1 x 3"] {
            assert_eq!(ticks_in_group(broken, group(8671)).unwrap_or(0), 0, "{broken}");
        }
    }
}
