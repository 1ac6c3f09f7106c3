//! Reads the CPU time, memory and states of a program's processes from `/proc`, and kills processes
//! that have left the program's process group.
//!
//! On systems without `/proc`, [`take_snapshot`] returns `None`. This module parses the files of
//! `/proc` itself, because the crate `procfs` would add three crates for a few fields.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An environment variable that identifies a program, and that its child processes inherit.
pub(super) const MARKER_VARIABLE: &str = "QUIVER_PROGRAM";

/// All processes that a player starts in a game. When the family is dropped, processes that have
/// left the program's process group are killed.
#[derive(Debug)]
pub(super) struct ProcessFamily {
    pub(super) marker: String,
}

/// The resources that a program's processes have used until now, and their state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProcessSnapshot {
    /// CPU time of the processes and of the children that they have waited for. The resolution is
    /// the system's clock tick, commonly 10 ms.
    pub(super) cpu: Duration,
    /// The sum of the processes' peak resident memory, in bytes.
    pub(super) memory: u64,
    /// True if a thread runs, waits for a core, or waits for a disk.
    pub(super) runnable: bool,
    pub(super) alive: bool,
}

impl ProcessFamily {
    pub(super) fn new() -> ProcessFamily {
        static FAMILY_COUNTER: AtomicU64 = AtomicU64::new(0);
        adopt_orphans();
        // Relaxed ordering is enough, because the counter publishes no other data.
        let number = FAMILY_COUNTER.fetch_add(1, Ordering::Relaxed);
        ProcessFamily { marker: format!("{}{number}", marker_prefix()) }
    }
}

impl Drop for ProcessFamily {
    fn drop(&mut self) {
        end_strays(Some(&self.marker));
    }
}

/// The beginning of every value of [`MARKER_VARIABLE`] that this Quiver process sets.
fn marker_prefix() -> String {
    format!("{}.", std::process::id())
}

#[cfg(target_os = "linux")]
pub(super) use linux::{adopt_orphans, end_strays, take_snapshot};

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{adopt_orphans, end_strays, take_snapshot};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// Makes Windows kill all descendants of this process when this process ends or is killed.
    #[cfg(windows)]
    pub(in crate::contest::program) fn adopt_orphans() {
        use std::sync::LazyLock;
        use win32job::{ExtendedLimitInfo, Job, JobError};

        static JOB: LazyLock<Result<Job, JobError>> = LazyLock::new(|| {
            let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())?;
            job.assign_current_process()?;
            Ok(job)
        });
        // If the job object cannot be created, programs continue to run after Quiver is killed.
        let _ = LazyLock::force(&JOB);
    }

    #[cfg(not(windows))]
    pub(in crate::contest::program) fn adopt_orphans() {}

    pub(in crate::contest::program) fn take_snapshot(_: u32, _: &str) -> Option<super::ProcessSnapshot> {
        None
    }

    pub(in crate::contest::program) fn end_strays(_: Option<&str>) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::sync::Once;
    use std::thread;
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::param::clock_ticks_per_second;
    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, getpid, kill_process, set_child_subreaper,
        waitid, waitpid,
    };

    use super::super::child::is_live;
    use super::{MARKER_VARIABLE, ProcessSnapshot, marker_prefix};

    /// A process, as `/proc/PID/stat` describes it.
    #[derive(Debug)]
    struct Process {
        id: i32,
        state: char,
        parent: i32,
        group: i32,
        /// CPU time of the process and of the children that it has waited for, in clock ticks.
        ticks: u64,
    }

    /// Makes this process adopt all descendants whose parent ends, even those in another session.
    pub(in crate::contest::program) fn adopt_orphans() {
        static ADOPT: Once = Once::new();
        // If this call fails, processes that have left a program's group are not killed.
        ADOPT.call_once(|| {
            let _ = set_child_subreaper(Some(getpid()));
        });
    }

    /// Takes a snapshot of all processes of a family, even if they have left the program's process
    /// group. `None` if the system does not report processes. An ended process counts until its
    /// parent waits for it.
    pub(in crate::contest::program) fn take_snapshot(group: u32, marker: &str) -> Option<ProcessSnapshot> {
        let members = members(i32::try_from(group).ok()?, marker);
        let ticks: u64 = members.iter().map(|process| process.ticks).sum();
        let mut snapshot = ProcessSnapshot {
            cpu: Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64),
            ..ProcessSnapshot::default()
        };
        for process in members {
            snapshot.memory += peak_memory(process.id).unwrap_or(0) << 10;
            let threads = fs::read_dir(format!("/proc/{}/task", process.id)).into_iter().flatten().flatten();
            for thread in threads {
                let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
                let state = fields(&stat).and_then(|(state, _)| state.chars().next()).unwrap_or('X');
                snapshot.runnable |= "RD".contains(state);
                snapshot.alive |= !"ZX".contains(state);
            }
        }
        Some(snapshot)
    }

    /// Lists the processes of a group, adopted processes with this marker, and their descendants.
    fn members(group: i32, marker: &str) -> Vec<Process> {
        let own = getpid().as_raw_nonzero().get();
        let is_root = |process: &Process| {
            let adopted = process.parent == own && process.id != group;
            process.group == group || adopted && marker_of(process.id).is_some_and(|found| found == marker)
        };
        let (mut members, mut others): (Vec<Process>, Vec<Process>) = all().partition(is_root);
        let mut looked = 0;
        while looked < members.len() {
            let parent = members[looked].id;
            let (children, rest) = others.into_iter().partition(|process| process.parent == parent);
            members.extend::<Vec<Process>>(children);
            (others, looked) = (rest, looked + 1);
        }
        members
    }

    /// Kills the adopted processes with this value of [`MARKER_VARIABLE`], or with any value if
    /// `marker` is `None`. The caller must first end the programs that started these processes. If
    /// no program that Quiver started is running, kills all adopted processes, marked or not.
    pub(in crate::contest::program) fn end_strays(marker: Option<&str>) {
        let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::All, any).is_err_and(|error| error == Errno::CHILD) {
            return;
        }
        let (own, own_group) = (getpid().as_raw_nonzero().get(), getpgrp().as_raw_nonzero().get());
        // The children of a killed process are adopted, so the next round finds them. The number of
        // rounds is limited, because some processes cannot be killed.
        for _ in 0..500 {
            let no_other = !is_live(None);
            let is_stray = |process: &Process| {
                let adopted = process.parent == own && process.group != own_group;
                let free = |id: i32| !is_live(u32::try_from(id).ok());
                let ours = || {
                    let has_marker = |found: String| marker.is_none_or(|marker| marker == found);
                    no_other || process.state == 'Z' || marker_of(process.id).is_some_and(has_marker)
                };
                adopted && free(process.group) && free(process.id) && ours()
            };
            let strays: Vec<Pid> =
                all().filter(is_stray).filter_map(|process| Pid::from_raw(process.id)).collect();
            if strays.is_empty() {
                return;
            }
            for stray in strays {
                // Errors are ignored, because the next round tries again.
                let _ = kill_process(stray, Signal::KILL);
                let _ = waitpid(Some(stray), WaitOptions::NOHANG);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn all() -> impl Iterator<Item = Process> {
        fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name();
            let id = name.to_str()?.parse().ok()?;
            // A process without a readable `stat` has just ended and is skipped.
            process(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
        })
    }

    fn process(id: i32, stat: &str) -> Option<Process> {
        let (state, mut fields) = fields(stat)?;
        let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        // The ninth to twelfth fields after the process group are utime, stime, cutime and cstime.
        let ticks = fields.skip(8).take(4).map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Process { id, state: state.chars().next()?, parent, group, ticks })
    }

    /// Splits the text of `/proc/PID/stat` into the process's state and the fields after it.
    fn fields(stat: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
        // The state follows the program's name in parentheses. The name may contain parentheses.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        Some((fields.next()?, fields))
    }

    /// The peak resident memory of a process, in KiB.
    fn peak_memory(process: i32) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches("kB").trim().parse().ok()
    }

    /// The value of [`MARKER_VARIABLE`] in a process's environment. `None` if another Quiver
    /// process set it.
    fn marker_of(process: i32) -> Option<String> {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        let mut variables = environment.split(|&byte| byte == 0).map(String::from_utf8_lossy);
        let marker = variables.find_map(|variable| {
            let (name, value) = variable.split_once('=')?;
            (name == MARKER_VARIABLE).then(|| value.to_owned())
        })?;
        marker.starts_with(&marker_prefix()).then_some(marker)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn reads_names_with_parentheses() {
            let stat =
                "8670 (a) b (c) T 8628 8671 3960 0 -1 4194304 1929 0 0 0 48 1 7 2 20 0 1 0 223842 16961536";
            let Process { state, parent, group, ticks, .. } = process(8670, stat).unwrap();
            assert_eq!((state, parent, group, ticks), ('T', 8628, 8671, 58));
            for broken in ["", "8670 (a", "8670 (a) T 1", "8670 (a) T 1 x 3"] {
                assert!(process(8670, broken).is_none(), "{broken}");
            }
        }
    }
}
