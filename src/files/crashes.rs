//! Journals and replaced files under every fault at every point of a workload, on the simulated
//! file system.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::disk::Disk;
use super::framing::framed;
use super::journal::{Entry, Framing, Journal, JournalError, JournalKind, header_line, read};
use super::simulation::{Fault, Machine};
use super::{Records, Replacement};

static LINES: JournalKind = JournalKind {
    key: "head",
    framing: Framing::Lines { key: "n", headless: false },
    writer: "test",
    records: "lines",
    record: "a line",
    remedy: "another",
    patience: Duration::from_nanos(20),
};

static FRAMES: JournalKind = JournalKind { framing: Framing::Frames, ..LINES };

const JOURNAL: &str = "folder/journal";
const TABLE: &str = "folder/table";
const TABLES: [&[u8]; 2] = [b"the old table", b"the new one"];

fn header(players: usize) -> Value {
    json!({"head": {"players": players}})
}

fn record(number: usize) -> String {
    format!("{{\"n\":{number}}}")
}

fn number(entry: Entry<'_>) -> Option<usize> {
    let Entry::Record(record) = entry else { return None };
    Some(serde_json::from_slice::<Value>(record).unwrap()["n"].as_u64().unwrap() as usize)
}

type Opened = Result<(Journal, Vec<usize>), JournalError>;

fn resume(disk: Arc<dyn Disk>, kind: &'static JournalKind, players: usize) -> Opened {
    let mut numbers = Vec::new();
    let expected = |found: &Value| header(found["head"]["players"].as_u64().unwrap() as usize);
    let opened = Journal::resume_on(disk, kind, Path::new(JOURNAL), &header(players), expected, |entry| {
        numbers.extend(number(entry));
        Ok(())
    });
    opened.map(|(journal, _)| (journal, numbers))
}

fn create(disk: Arc<dyn Disk>, kind: &'static JournalKind) -> Opened {
    Journal::create_on(disk, kind, Path::new(JOURNAL), &header(1)).map(|journal| (journal, Vec::new()))
}

/// Appends records to a journal as a process does that goes on after a failure. Returns those
/// that were acknowledged.
fn append(opened: Opened, numbers: &[usize]) -> Vec<usize> {
    let mut journal = match opened {
        Ok((journal, _)) => journal,
        Err(error @ (JournalError::Damaged { .. } | JournalError::Other { .. })) => panic!("{error}"),
        Err(_) => return Vec::new(),
    };
    let written = |&number: &usize| {
        let record = record(number);
        // A failed record is tried again, and must not be there twice.
        journal
            .append(record.as_bytes())
            .or_else(|_| journal.append(record.as_bytes()))
            .is_ok()
            .then_some(number)
    };
    numbers.iter().filter_map(written).collect()
}

/// A journal that is begun, resumed, and resumed with a header that has grown, and a file that is
/// replaced. Returns the acknowledged records, and true if the file was acknowledged.
fn workload(disk: &Arc<dyn Disk>, kind: &'static JournalKind) -> (Vec<usize>, bool) {
    let players = if kind.framing == Framing::Frames { 1 } else { 2 };
    let mut acknowledged = append(create(Arc::clone(disk), kind), &[0, 1]);
    acknowledged.extend(append(resume(Arc::clone(disk), kind, 1), &[2]));
    acknowledged.extend(append(resume(Arc::clone(disk), kind, players), &[3, 4]));
    let replaced = || {
        let mut table = Replacement::create_on(Arc::clone(disk), PathBuf::from(TABLE))?;
        table.write_all(TABLES[1])?;
        table.finish()
    };
    (acknowledged, replaced().is_ok())
}

fn machine() -> Arc<Machine> {
    let machine = Arc::new(Machine::default());
    machine.put(Path::new(TABLE), TABLES[0]);
    machine
}

/// Opens the journal with a new process, which must find no damage; it goes on from there, and a
/// next one finds all.
fn recovered(machine: &Arc<Machine>, kind: &'static JournalKind, place: &str) -> Vec<usize> {
    let players = if kind.framing == Framing::Frames { 1 } else { 3 };
    let open = || resume(machine.process(0, None), kind, players);
    let (mut journal, found) = open().unwrap_or_else(|error| panic!("{place}: {error}"));
    journal.append(record(9).as_bytes()).unwrap();
    drop(journal);
    assert_eq!(open().unwrap().1, [&found[..], &[9]].concat(), "{place}");
    found
}

/// Counts cases: those of a fault, and those of a loss of power after it.
#[derive(Debug, Default)]
struct Cases {
    points: usize,
    faults: usize,
    power_losses: usize,
}

fn every_fault(kind: &'static JournalKind) -> Cases {
    let whole = machine();
    assert_eq!(workload(&whole.process(0, None), kind), (vec![0, 1, 2, 3, 4], true));
    let log = whole.log(0);
    let mut cases = Cases { points: log.len(), ..Cases::default() };
    for (point, &(operation, bytes)) in log.iter().enumerate() {
        let mut faults = vec![Fault::CrashBefore];
        faults.extend((0..=bytes).map(Fault::CrashAfter));
        if ["lock", "read", "write"].contains(&operation) {
            faults.push(Fault::Interrupted);
        }
        if ["open", "sync", "sync folder", "rename"].contains(&operation) {
            faults.push(Fault::Full(0));
        }
        if operation == "write" {
            faults.extend((0..bytes).map(Fault::Full));
        }
        for fault in faults {
            let place = format!("point {point}, {operation}: {fault:?}");
            let machine = machine();
            let (acknowledged, replaced) = workload(&machine.process(0, Some((point, fault))), kind);
            cases.faults += 1;
            if fault == Fault::Interrupted {
                assert_eq!((&acknowledged[..], replaced), (&[0, 1, 2, 3, 4][..], true), "{place}");
            }
            for names in [false, true] {
                for kept in 0.. {
                    let Some(after) = machine.after_power_loss(names, kept) else { break };
                    cases.power_losses += 1;
                    let place = format!("{place}, then names {names} and {kept} bytes");
                    let table = after.get(Path::new(TABLE)).unwrap();
                    assert!(TABLES.contains(&&table[..]), "{place}");
                    assert!(!replaced || table == TABLES[1], "{place}");
                    // The last records may be lost, but no record before one that is there.
                    let found = recovered(&after, kind, &place);
                    let known = acknowledged.iter().take_while(|number| found.contains(number)).count();
                    assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                    assert!(acknowledged[known..].iter().all(|number| !found.contains(number)), "{place}");
                }
            }
            let table = machine.get(Path::new(TABLE)).unwrap();
            assert!(TABLES.contains(&&table[..]) && (!replaced || table == TABLES[1]), "{place}");
            let found = recovered(&machine, kind, &place);
            assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
            assert!(acknowledged.iter().all(|number| found.contains(number)), "{place}: {found:?}");
        }
    }
    cases
}

#[test]
fn acknowledged_records_survive_every_fault() {
    for kind in [&LINES, &FRAMES] {
        let cases = every_fault(kind);
        println!("{:?}: {cases:?}", kind.framing);
        assert!(cases.points > 40 && cases.faults > 400, "{cases:?}");
    }
}

/// Another program, as earlier versions of this one: it puts a new file in the journal's place,
/// with one more record, while it holds the lock of the old one.
fn move_over(disk: &Arc<dyn Disk>, number: usize) -> Vec<usize> {
    let moved = || -> std::io::Result<Option<usize>> {
        let path = Path::new(JOURNAL);
        let Some(old) = Records::open(Arc::clone(disk), path, false, LINES.patience)? else {
            return Ok(None);
        };
        let mut new = Replacement::create_on(Arc::clone(disk), path.into())?;
        let mut bytes = Vec::new();
        old.reader().read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            new.write_all(header_line(&header(1)).as_bytes())?;
        }
        new.write_all(&bytes)?;
        new.write_all(super::sealed_line(&record(number)).as_bytes())?;
        new.write_all(b"\n")?;
        new.finish()?;
        Ok(Some(number))
    };
    moved().unwrap().into_iter().collect()
}

#[test]
fn two_processes_lose_no_record_whenever_they_meet() {
    type Other = fn(&Arc<dyn Disk>) -> Vec<usize>;
    let others: [(&str, Other); 3] = [
        ("the same", |disk| append(resume(Arc::clone(disk), &LINES, 1), &[10, 11])),
        ("more players", |disk| append(resume(Arc::clone(disk), &LINES, 2), &[10, 11])),
        ("a new file", |disk| move_over(disk, 10)),
    ];
    let firsts: [(&str, Other); 2] = [
        ("begins", |disk| append(create(Arc::clone(disk), &LINES), &[0, 1])),
        ("resumes", |disk| append(resume(Arc::clone(disk), &LINES, 1), &[0, 1])),
    ];
    let mut cases = 0;
    for (other_name, other) in others {
        for (first_name, first) in firsts {
            // Each process runs to one of its points, then the other, then both to their ends.
            let mut longest = [usize::MAX; 2];
            let mut at = [0; 2];
            while at[0] < longest[0] {
                let machine = Arc::new(Machine::default());
                if first_name == "resumes" {
                    machine.put(Path::new(JOURNAL), header_line(&header(1)).as_bytes());
                }
                let [one, two] =
                    [0, 1].map(|process| machine.process(process, Some((at[process], Fault::Switch))));
                let acknowledged = machine.run_both(|| first(&one), || other(&two)).concat();
                cases += 1;
                let place = format!("{first_name}, {other_name}: {at:?}");
                let mut found = recovered(&machine, &LINES, &place);
                found.sort_unstable();
                assert!(found.is_sorted_by(|a, b| a < b), "{place}: {found:?}");
                assert_eq!(
                    found,
                    {
                        let mut all = acknowledged;
                        all.sort_unstable();
                        all
                    },
                    "{place}"
                );
                longest = [0, 1].map(|process| machine.log(process).len().max(1));
                at[1] += 1;
                if at[1] > longest[1].max(12) {
                    at = [at[0] + 1, 0];
                }
            }
        }
    }
    println!("{cases} cases of two processes");
    assert!(cases > 500, "{cases}");
}

#[test]
fn names_any_flipped_bit_with_its_place() {
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
        }
    }
    // A tail that is torn in earnest holds no whole line.
    assert!(read(&LINES, Path::new("journal"), &torn[..], |_| Ok(())).unwrap().torn);
}
