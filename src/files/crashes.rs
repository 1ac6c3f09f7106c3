//! Tests that journals and replaced files survive every simulated fault at every disk operation.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::journal::Journal;
use super::simulation::{Fault, Files, Machine};
use super::{JournalError, JournalKind, replace, sealed_line};

pub(super) static TEST_JOURNAL: JournalKind = JournalKind {
    key: "head",
    record_key: "n",
    writer: "test",
    records: "lines",
    record: "a line",
    patience: Duration::from_millis(2),
};

const JOURNAL: &str = "journal";
const TABLE: &str = "table";
const TABLE_STATES: [&[u8]; 2] = [b"the old table", b"the new one"];

fn header(players: usize) -> Value {
    json!({"head": {"players": vec!["a"; players]}})
}

fn header_line() -> String {
    sealed_line(&header(1).to_string())
}

fn record_line(number: usize) -> String {
    format!("{{\"n\":{number}}}")
}

type OpenedJournal = Result<(Journal, Vec<usize>), JournalError>;

fn resume(machine: &Machine, players: usize) -> OpenedJournal {
    let mut numbers = Vec::new();
    let opened = Journal::resume(&TEST_JOURNAL, &machine.path(JOURNAL), &header(players), |record| {
        numbers.push(serde_json::from_str::<Value>(record).unwrap()["n"].as_u64().unwrap() as usize);
        Ok(())
    });
    opened.map(|journal| (journal, numbers))
}

fn create(machine: &Machine) -> OpenedJournal {
    Journal::create(&TEST_JOURNAL, &machine.path(JOURNAL), &header(1)).map(|journal| (journal, Vec::new()))
}

/// Appends records to a journal, and tries a failed record once more. Returns the records that were
/// written without an error. The list is empty if the journal cannot be opened.
fn append_records(opened: OpenedJournal, numbers: &[usize]) -> Vec<usize> {
    let mut journal = match opened {
        Ok((journal, _)) => journal,
        Err(error @ JournalError::Damaged { .. }) => panic!("{error}"),
        Err(_) => return Vec::new(),
    };
    let mut written = |&number: &usize| {
        let mut try_once = || journal.append(&record_line(number)).is_ok();
        (try_once() || try_once()).then_some(number)
    };
    numbers.iter().filter_map(&mut written).collect()
}

/// Begins a journal, resumes it twice, and replaces a file. Returns the records whose writes
/// succeeded, and true if the replacement succeeded.
fn workload(machine: &Machine) -> (Vec<usize>, bool) {
    let mut acknowledged = append_records(create(machine), &[0, 1]);
    acknowledged.extend(append_records(resume(machine, 1), &[2]));
    acknowledged.extend(append_records(resume(machine, 2), &[3, 4]));
    (acknowledged, replace(&machine.path(TABLE), TABLE_STATES[1]).is_ok())
}

fn machine_with_table() -> Arc<Machine> {
    let machine = Machine::new();
    machine.put(TABLE, TABLE_STATES[0]);
    machine
}

/// Checks that a new process can resume the journal and append a record, and that another process
/// then finds all records. Returns the records before the new one.
fn check_recovery(machine: &Arc<Machine>, place: &str) -> Vec<usize> {
    let open = || resume(machine, 3);
    let found = machine.run(None, || {
        let (mut journal, found) = open().unwrap_or_else(|error| panic!("{place}: {error}"));
        journal.append(&record_line(9)).unwrap();
        found
    });
    assert_eq!(machine.run(None, || open().unwrap().1), [&found[..], &[9]].concat(), "{place}");
    found
}

#[test]
fn acknowledged_records_survive_every_fault() {
    let whole = machine_with_table();
    assert_eq!(whole.run(None, || workload(&whole)), (vec![0, 1, 2, 3, 4], true));
    let log = whole.log(0);
    let mut count = 0;
    // For each state of the folder after a loss of power, the records that a new process finds.
    let mut recoveries: BTreeMap<Files, Vec<usize>> = BTreeMap::new();
    // Each pass simulates all faults of one operation, each followed by a loss of power. The last
    // pass, "the end", simulates only a loss of power, after all operations.
    for (point, &(operation, bytes)) in log.iter().chain([&("the end", 0)]).enumerate() {
        let mut faults: Vec<Fault> = (0..bytes.max(1)).map(Fault::Crash).collect();
        match operation {
            "read" => faults.push(Fault::Interrupted),
            "open" | "sync" | "sync the folder" | "rename" => faults.push(Fault::Full(0)),
            "write" => faults.extend((0..bytes).map(Fault::Full).chain([Fault::Interrupted])),
            _ => {}
        }
        for fault in faults {
            let place = format!("point {point}, {operation}: {fault:?}");
            let machine = machine_with_table();
            let (acknowledged, replaced) = machine.run(Some((point, fault)), || workload(&machine));
            count += 1;
            if fault == Fault::Interrupted {
                assert_eq!((&acknowledged[..], replaced), (&[0, 1, 2, 3, 4][..], true), "{place}");
            }
            let check_table = |table: &[u8]| {
                assert!(TABLE_STATES.contains(&table) && (!replaced || table == TABLE_STATES[1]), "{place}");
            };
            for left in machine.after_power_losses() {
                check_table(&left[TABLE]);
                // A loss of power may remove a record only together with all later records.
                let found = recoveries.entry(left).or_insert_with_key(|left| {
                    let after = Machine::new();
                    left.iter().for_each(|(name, bytes)| after.put(name, bytes));
                    check_recovery(&after, &format!("{place}, then {left:?}"))
                });
                let known = acknowledged.iter().take_while(|number| found.contains(number)).count();
                assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                assert!(acknowledged[known..].iter().all(|number| !found.contains(number)), "{place}");
            }
            check_table(&machine.get(TABLE));
            let found = check_recovery(&machine, &place);
            assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
            assert!(acknowledged.iter().all(|number| found.contains(number)), "{place}: {found:?}");
        }
    }
    println!("{count} faults at {} points", log.len());
    assert!(log.len() > 20 && count > 300);
}

#[test]
fn two_processes_lose_no_record() {
    type Process = fn(&Machine) -> Vec<usize>;
    let others: [(&str, Process); 2] = [
        ("the same", |machine| append_records(resume(machine, 1), &[10, 11])),
        ("more players", |machine| append_records(resume(machine, 2), &[10, 11])),
    ];
    let firsts: [(&str, Process); 2] = [
        ("begins", |machine| append_records(create(machine), &[0, 1])),
        ("resumes", |machine| append_records(resume(machine, 1), &[0, 1])),
    ];
    let mut cases = 0;
    for (other_name, other) in others {
        for (first_name, first) in firsts {
            // Each of the two processes pauses at one operation, whose number is in `pause_points`.
            let mut operation_counts = [usize::MAX; 2];
            let mut pause_points = [0; 2];
            while pause_points[0] < operation_counts[0] {
                let machine = Machine::new();
                if first_name == "resumes" {
                    machine.put(JOURNAL, header_line().as_bytes());
                }
                let mut acknowledged =
                    machine.run_both(pause_points, || first(&machine), || other(&machine)).concat();
                operation_counts = [0, 1].map(|process| machine.log(process).len().max(1));
                cases += 1;
                let place = format!("{first_name}, {other_name}: {pause_points:?}");
                let mut found = check_recovery(&machine, &place);
                found.sort_unstable();
                acknowledged.sort_unstable();
                assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                assert_eq!(found, acknowledged, "{place}");
                pause_points[1] += 1;
                if pause_points[1] > operation_counts[1].max(12) {
                    pause_points = [pause_points[0] + 1, 0];
                }
            }
        }
    }
    println!("{cases} cases of two processes");
    assert!(cases > 200, "{cases}");
}

#[test]
fn next_record_replaces_failed_write() {
    let machine = Machine::new();
    let (mut journal, _) = create(&machine).unwrap();
    journal.append(&record_line(0)).unwrap();
    assert!(matches!(resume(&machine, 1), Err(JournalError::Busy { .. })), "one process at a time");
    let whole = machine.get(JOURNAL);
    // Writes the beginning of a record, as a failed write can leave it in the file.
    super::open_to_append(&machine.path(JOURNAL)).unwrap().write_all(b"{\"n\":").unwrap();
    journal.append(&record_line(1)).unwrap();
    assert_eq!(machine.get(JOURNAL), [&whole[..], sealed_line(&record_line(1)).as_bytes()].concat());
}

#[test]
fn reports_every_flipped_bit() {
    let whole = [header_line(), sealed_line(&record_line(1))].concat().into_bytes();
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let machine = Machine::new();
        machine.put(JOURNAL, &changed);
        match resume(&machine, 1) {
            Err(JournalError::Damaged { byte, .. }) => assert!(byte <= bit as u64 / 8),
            other => panic!("bit {bit}: {other:?}"),
        }
        assert_eq!(machine.get(JOURNAL), changed, "bit {bit}");
    }
}
