//! Journals and replaced files under every fault at every point of a workload.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::framing::framed;
use super::journal::{Framing, Journal, JournalError, JournalKind};
use super::records::{Entry, header_line, read};
use super::replace;
use super::simulation::{Fault, Files, Machine};

pub(super) static LINES: JournalKind = JournalKind {
    key: "head",
    framing: Framing::Lines { key: "n", headless: false },
    writer: "test",
    records: "lines",
    record: "a line",
    remedy: "another",
    patience: Duration::from_millis(2),
};

static FRAMES: JournalKind = JournalKind { framing: Framing::Frames, ..LINES };

const JOURNAL: &str = "journal";
const TABLE: &str = "table";
const TABLES: [&[u8]; 2] = [b"the old table", b"the new one"];

fn header(players: usize) -> Value {
    json!({"head": {"players": players}})
}

fn record(number: usize) -> String {
    format!("{{\"n\":{number}}}")
}

fn number(entry: Entry) -> Option<usize> {
    let Entry::Record(record) = entry else { return None };
    Some(serde_json::from_slice::<Value>(&record).unwrap()["n"].as_u64().unwrap() as usize)
}

type Opened = Result<(Journal, Vec<usize>), JournalError>;

fn resume(machine: &Machine, kind: &'static JournalKind, players: usize) -> Opened {
    let mut numbers = Vec::new();
    let expected = |found: &Value| header(found["head"]["players"].as_u64().unwrap() as usize);
    let opened = Journal::resume(kind, &machine.path(JOURNAL), &header(players), expected, |entry| {
        numbers.extend(number(entry));
        Ok(())
    });
    opened.map(|(journal, _)| (journal, numbers))
}

fn create(machine: &Machine, kind: &'static JournalKind) -> Opened {
    Journal::create(kind, &machine.path(JOURNAL), &header(1)).map(|journal| (journal, Vec::new()))
}

/// Appends records to a journal as a process does that goes on after a failure. Returns those
/// that were acknowledged.
fn append(opened: Opened, numbers: &[usize]) -> Vec<usize> {
    let mut journal = match opened {
        Ok((journal, _)) => journal,
        Err(error @ (JournalError::Damaged { .. } | JournalError::Other { .. })) => panic!("{error}"),
        Err(_) => return Vec::new(),
    };
    let mut written = |&number: &usize| {
        let mut try_once = || journal.append(record(number).as_bytes()).is_ok();
        // A failed record is tried again, and must not be there twice.
        (try_once() || try_once()).then_some(number)
    };
    numbers.iter().filter_map(&mut written).collect()
}

/// A journal that is begun, resumed, and resumed with a header that has grown, and a file that is
/// replaced. Returns the acknowledged records, and true if the file was acknowledged.
fn workload(machine: &Machine, kind: &'static JournalKind) -> (Vec<usize>, bool) {
    let players = if kind.framing == Framing::Frames { 1 } else { 2 };
    let mut acknowledged = append(create(machine, kind), &[0, 1]);
    acknowledged.extend(append(resume(machine, kind, 1), &[2]));
    acknowledged.extend(append(resume(machine, kind, players), &[3, 4]));
    (acknowledged, replace(&machine.path(TABLE), TABLES[1]).is_ok())
}

fn machine_with_table() -> Arc<Machine> {
    let machine = Machine::new();
    machine.put(TABLE, TABLES[0]);
    machine
}

/// Opens the journal with a new process, which must find no damage; it goes on from there, and a
/// next one finds all.
fn recovered(machine: &Arc<Machine>, kind: &'static JournalKind, place: &str) -> Vec<usize> {
    let players = if kind.framing == Framing::Frames { 1 } else { 3 };
    let open = || resume(machine, kind, players);
    let found = machine.run(None, || {
        let (mut journal, found) = open().unwrap_or_else(|error| panic!("{place}: {error}"));
        journal.append(record(9).as_bytes()).unwrap();
        found
    });
    assert_eq!(machine.run(None, || open().unwrap().1), [&found[..], &[9]].concat(), "{place}");
    found
}

/// Returns the numbers of points and of faults.
fn every_fault(kind: &'static JournalKind) -> (usize, usize) {
    let whole = machine_with_table();
    assert_eq!(whole.run(None, || workload(&whole, kind)), (vec![0, 1, 2, 3, 4], true));
    let log = whole.log(0);
    let mut count = 0;
    // The records that a new process finds after each loss of power.
    let mut recoveries: BTreeMap<Files, Vec<usize>> = BTreeMap::new();
    // The last process ends after all its operations.
    for (point, &(operation, bytes)) in log.iter().chain([&("the end", 0)]).enumerate() {
        let mut faults: Vec<Fault> = (0..bytes.max(1)).map(Fault::Crash).collect();
        match operation {
            "lock" | "read" => faults.push(Fault::Interrupted),
            "open" | "sync" | "sync the folder" | "rename" => faults.push(Fault::Full(0)),
            "write" => faults.extend((0..bytes).map(Fault::Full).chain([Fault::Interrupted])),
            _ => {}
        }
        for fault in faults {
            let place = format!("point {point}, {operation}: {fault:?}");
            let machine = machine_with_table();
            let (acknowledged, replaced) = machine.run(Some((point, fault)), || workload(&machine, kind));
            count += 1;
            if fault == Fault::Interrupted {
                assert_eq!((&acknowledged[..], replaced), (&[0, 1, 2, 3, 4][..], true), "{place}");
            }
            let check_table = |table: &[u8]| {
                assert!(TABLES.contains(&table) && (!replaced || table == TABLES[1]), "{place}");
            };
            for left in machine.after_power_losses() {
                check_table(&left[TABLE]);
                // The last records may be lost, but no record before one that is there.
                let found = recoveries.entry(left).or_insert_with_key(|left| {
                    let after = Machine::new();
                    left.iter().for_each(|(name, bytes)| after.put(name, bytes));
                    recovered(&after, kind, &format!("{place}, then {left:?}"))
                });
                let known = acknowledged.iter().take_while(|number| found.contains(number)).count();
                assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                assert!(acknowledged[known..].iter().all(|number| !found.contains(number)), "{place}");
            }
            check_table(&machine.get(TABLE));
            let found = recovered(&machine, kind, &place);
            assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
            assert!(acknowledged.iter().all(|number| found.contains(number)), "{place}: {found:?}");
        }
    }
    (log.len(), count)
}

#[test]
fn acknowledged_records_survive_every_fault() {
    for kind in [&LINES, &FRAMES] {
        let (points, faults) = every_fault(kind);
        assert!(points > 20 && faults > 300, "{:?}: {faults} faults at {points} points", kind.framing);
    }
}

/// Another program, as earlier versions of this one: it puts a new file in the journal's place,
/// with one more record, while it holds the lock of the old one.
fn move_over(machine: &Machine) -> Vec<usize> {
    // The lock of the old file, until the end.
    let Ok((_locked, numbers)) = resume(machine, &LINES, 1) else { return Vec::new() };
    let line = |number: &usize| super::sealed_line(&record(*number)) + "\n";
    let lines: String = numbers.iter().chain([&10]).map(line).collect();
    replace(&machine.path(JOURNAL), header_line(&header(1)) + &lines).unwrap();
    vec![10]
}

#[test]
fn two_processes_lose_no_record_whenever_they_meet() {
    type Process = fn(&Machine) -> Vec<usize>;
    let others: [(&str, Process); 3] = [
        ("the same", |machine| append(resume(machine, &LINES, 1), &[10, 11])),
        ("more players", |machine| append(resume(machine, &LINES, 2), &[10, 11])),
        ("a new file", move_over),
    ];
    let firsts: [(&str, Process); 2] = [
        ("begins", |machine| append(create(machine, &LINES), &[0, 1])),
        ("resumes", |machine| append(resume(machine, &LINES, 1), &[0, 1])),
    ];
    let mut cases = 0;
    for (other_name, other) in others {
        for (first_name, first) in firsts {
            // Each process runs to one of its points, then the other, then both to their ends.
            let mut longest = [usize::MAX; 2];
            let mut at = [0; 2];
            while at[0] < longest[0] {
                let machine = Machine::new();
                if first_name == "resumes" {
                    machine.put(JOURNAL, header_line(&header(1)).as_bytes());
                }
                let mut acknowledged = machine.run_both(at, || first(&machine), || other(&machine)).concat();
                longest = [0, 1].map(|process| machine.log(process).len().max(1));
                cases += 1;
                let place = format!("{first_name}, {other_name}: {at:?}");
                let mut found = recovered(&machine, &LINES, &place);
                found.sort_unstable();
                acknowledged.sort_unstable();
                assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                assert_eq!(found, acknowledged, "{place}");
                at[1] += 1;
                if at[1] > longest[1].max(12) {
                    at = [at[0] + 1, 0];
                }
            }
        }
    }
    println!("{cases} cases of two processes");
    assert!(cases > 250, "{cases}");
}

#[test]
fn names_any_flipped_bit_with_its_place_and_cuts_nothing() {
    let lines = [header_line(&header(1)), super::sealed_line(&record(1)) + "\n"].concat().into_bytes();
    let frames = [header_line(&header(1)).as_bytes(), &framed(b"{\"n\":1}"), &framed(b"{\"n\":2}")].concat();
    let torn = [&lines[..], &lines[..lines.len() - 4]].concat();
    for (kind, whole) in [(&LINES, lines), (&FRAMES, frames)] {
        for bit in 0..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match read(kind, Path::new("journal"), &changed[..], |_| Ok(())) {
                Err(JournalError::Damaged { place, .. }) => assert!(place.byte <= bit as u64 / 8),
                other => panic!("{:?}, bit {bit}: {other:?}", kind.framing),
            }
            let machine = Machine::new();
            machine.put(JOURNAL, &changed);
            resume(&machine, kind, 1).unwrap_err();
            assert_eq!(machine.get(JOURNAL), changed, "{:?}, bit {bit}", kind.framing);
        }
    }
    // A tail that is torn in earnest holds no whole line.
    assert!(read(&LINES, Path::new("journal"), &torn[..], |_| Ok(())).unwrap().torn);
}
