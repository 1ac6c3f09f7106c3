//! CPU time and scheduling state of a process group, read from `/proc`.

use std::fs;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;

/// CPU time that the group's processes have used, with that of children they have waited for.
///
/// Counted in the system's clock ticks, commonly 10 ms. A process that has ended counts until it is
/// waited for, so the group's leader must be asked about before it is reaped; one that ended
/// unnoticed by its parent, after that had ended as well, is lost.
pub(super) fn group_time(group: Pid) -> Duration {
    let ticks: u64 = members(group).map(|(_, ticks)| ticks).sum();
    Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64)
}

/// True if a thread of the group runs, or waits for a core or for the disk: then a lack of CPU time
/// is the machine's.
pub(super) fn group_is_runnable(group: Pid) -> bool {
    members(group).any(|(process, _)| {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        threads.map(|thread| thread.path().join("stat")).any(|stat| {
            fs::read_to_string(stat)
                .is_ok_and(|stat| fields(&stat).is_some_and(|(state, _)| "RD".contains(state)))
        })
    })
}

/// The most memory that the group's processes have had resident, in bytes, added up.
pub(super) fn group_memory(group: Pid) -> u64 {
    let peak = |process: String| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    members(group).filter_map(|(process, _)| peak(process)).sum::<u64>() << 10
}

pub(super) fn group_has_members(group: Pid) -> bool {
    members(group).next().is_some()
}

/// The processes of a group by number, with the ticks of each.
fn members(group: Pid) -> impl Iterator<Item = (String, u64)> {
    fs::read_dir("/proc").into_iter().flatten().filter_map(move |entry| {
        let name = entry.ok()?.file_name();
        let name = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))?;
        // A process may end between the listing and the reading.
        let ticks = ticks_in_group(&fs::read_to_string(format!("/proc/{name}/stat")).ok()?, group)?;
        Some((name.to_owned(), ticks))
    })
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
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    #[test]
    fn tells_a_busy_group_from_a_sleeping_one() {
        // The busy loop is a child of a shell that sleeps, as the threads of an interpreter may be.
        for (script, busy) in [("(while :; do :; done) & wait", true), ("sleep 3600", false)] {
            let mut child = Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap();
            let group = Pid::from_child(&child);
            let begun = Instant::now();
            let mut found = false;
            while !found && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(1));
                found = group_is_runnable(group) == busy;
            }
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
            child.wait().unwrap();
            assert!(found, "{script}");
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
