//! The state file: what is known of the matches, kept so that a restarted process goes on with
//! them.
//!
//! Botzone may send the opponent's last move alone, so a process without the history cannot
//! continue a match. Each change appends one JSON line: the entry at which the history changed, the
//! entries from there on, and whose turn it is. An incomplete last line, left by a killed process,
//! is dropped. The file holds no secret.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::play::{Phase, Play, PlayError};
use super::poll::SiteId;
use crate::botzone::request::Form;
use crate::botzone::starts::Starts;
use crate::files::Records;
use crate::game::Coordinates;

/// How long a match is remembered of which nothing is heard; none lasts that long on the site.
const MEMORY: Duration = Duration::from_secs(24 * 3600);

/// The beginning of every line: it tells an incomplete line from a foreign file.
const BEGINNING: &str = "{\"time\":";

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    /// Seconds since 1970.
    time: u64,
    #[serde(rename = "match")]
    id: SiteId,
    phase: Phase,
    form: Form,
    /// The entries from this one on are `plies`.
    from: usize,
    plies: Vec<Coordinates>,
}

/// The file, or none.
#[derive(Debug, Default)]
pub struct StateFile {
    file: Option<Records>,
    /// The histories as the file has them.
    written: BTreeMap<SiteId, Vec<Coordinates>>,
}

/// Why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum StateError {
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is in use by another process: expected one of its own for each", path = path.display())]
    Locked { path: PathBuf },
    #[error(
        "{path}: match {id} is not over and cannot be restored: {fault}; expected the --board that the match \
         was begun with, or another file; nothing was changed", path = path.display()
    )]
    Unrestored { path: PathBuf, id: SiteId, fault: PlayError },
    #[error("{path}, line {line} is no line of a state file: {fault}", path = path.display())]
    Line { path: PathBuf, line: usize, fault: String },
}

impl StateFile {
    /// No file: what is known ends with the process.
    #[must_use]
    pub fn none() -> StateFile {
        StateFile::default()
    }

    /// Opens or creates a file, and gives the matches that it says are not over.
    ///
    /// # Errors
    /// If it cannot be opened, is in use, is no state file, or holds a match that is not over and
    /// cannot be restored. The file is unchanged then.
    pub fn open(path: &Path, starts: &Starts) -> Result<(StateFile, BTreeMap<SiteId, Play>), StateError> {
        let refused = |source| StateError::Io { path: path.to_owned(), source };
        let records = Records::open(path, false, Duration::ZERO).map_err(refused)?;
        let mut file = records.ok_or_else(|| StateError::Locked { path: path.to_owned() })?;
        let text = String::from_utf8(file.read().map_err(refused)?);
        let text = text.map_err(|error| refused(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let no_line = |(line, fault)| StateError::Line { path: path.to_owned(), line, fault };
        let records = read_lines(&text[..whole]).map_err(no_line)?;
        let torn = &text[whole..];
        if !torn.starts_with(BEGINNING) && !BEGINNING.starts_with(torn) {
            let line = text.lines().count();
            return Err(no_line((line, format!("it has no end, and does not begin with {BEGINNING}"))));
        }
        let now = unix_time();
        let mut state = StateFile { file: None, written: BTreeMap::new() };
        let mut matches = BTreeMap::new();
        for (id, StateLine { time, form, phase, plies, .. }) in records {
            if now.saturating_sub(time) >= MEMORY.as_secs() {
                continue;
            }
            state.written.insert(id.clone(), plies.clone());
            match Play::restore(form, plies, phase, starts) {
                Ok(play) => matches.insert(id, play),
                Err(fault) => return Err(StateError::Unrestored { path: path.to_owned(), id, fault }),
            };
        }
        // A torn line would spoil the next one. A file whose matches are all over begins anew.
        let keep = if matches.is_empty() { 0 } else { whole };
        if keep < text.len() {
            file.truncate(keep as u64).map_err(refused)?;
        }
        state.file = Some(file);
        Ok((state, matches))
    }

    /// Writes what has changed about a match; `None` for one that has ended.
    ///
    /// # Errors
    /// If the file cannot be written. It holds what it held, and a later call writes all changes
    /// since.
    pub fn record(&mut self, id: &SiteId, play: Option<&Play>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let entries = play.map_or(&[][..], Play::entries);
        let known = self.written.get(id).map_or(&[][..], Vec::as_slice);
        let from = known.iter().zip(entries).take_while(|(a, b)| a == b).count();
        let line = StateLine {
            time: unix_time(),
            id: id.clone(),
            phase: play.map_or(Phase::Ended, Play::phase),
            form: play.map_or(Form::Json, Play::form),
            from,
            plies: entries[from..].to_vec(),
        };
        file.append((serde_json::to_string(&line)? + "\n").as_bytes())?;
        match play {
            Some(play) => self.written.insert(id.clone(), play.entries().to_vec()),
            None => self.written.remove(id),
        };
        Ok(())
    }
}

/// The open matches, each as its lines leave it: with all its plies.
fn read_lines(text: &str) -> Result<BTreeMap<SiteId, StateLine>, (usize, String)> {
    let mut matches: BTreeMap<SiteId, StateLine> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let fault = |fault: String| (index + 1, fault);
        let mut line: StateLine = serde_json::from_str(line).map_err(|error| fault(error.to_string()))?;
        let mut plies = matches.remove(&line.id).map_or_else(Vec::new, |before| before.plies);
        if line.from > plies.len() {
            return Err(fault(format!("'from' is {}: expected at most {}", line.from, plies.len())));
        }
        if line.phase != Phase::Ended {
            plies.truncate(line.from);
            plies.append(&mut line.plies);
            matches.insert(line.id.clone(), StateLine { plies, ..line });
        }
    }
    Ok(matches)
}

fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::botzone::starts::StartChoice;
    use crate::game::Size;

    fn starts() -> Starts {
        Starts::new(Size::square(8).unwrap(), false, StartChoice::Formula).unwrap()
    }

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("quiver-state-{name}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn receive(play: &mut Play, line: &str) {
        play.receive(line, &starts()).unwrap();
    }

    #[test]
    fn matches_come_back_as_they_were_at_every_step() {
        let path = path("steps");
        let id: SiteId = "5f0a".parse().unwrap();
        let mut play = Play::unknown();
        let check = |play: &Play| {
            // What an earlier process wrote, read by the next one, which then writes.
            let (mut state, matches) = StateFile::open(&path, &starts()).unwrap();
            state.record(&id, Some(play)).unwrap();
            drop(state);
            let again = StateFile::open(&path, &starts()).unwrap().1;
            assert_eq!(again.get(&id), Some(play));
            matches.len()
        };
        receive(&mut play, "-1 -1 -1 -1 -1 -1");
        assert_eq!(check(&play), 0);
        play.answer("5 0 3 2 6 5".parse().unwrap());
        assert_eq!(check(&play), 1);
        play.confirm();
        check(&play);
        receive(&mut play, "0 5 4 5 3 4");
        check(&play);
        let lines = fs::read_to_string(&path).unwrap();
        assert_eq!(lines.lines().count(), 4);
        assert!(
            lines
                .lines()
                .last()
                .unwrap()
                .ends_with(r#""phase":"asked","form":"text","from":2,"plies":[{"x0":0,"y0":5,"x1":4,"y1":5,"x2":3,"y2":4}]}"#),
            "{lines}"
        );
        // Ended: the file begins anew with the next process.
        let (mut state, _) = StateFile::open(&path, &starts()).unwrap();
        state.record(&id, None).unwrap();
        drop(state);
        assert!(StateFile::open(&path, &starts()).unwrap().1.is_empty());
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_torn_line_is_dropped_and_what_is_no_state_file_is_left_alone() {
        let path = path("torn");
        let id: SiteId = "5f0a".parse().unwrap();
        let mut play = Play::unknown();
        receive(&mut play, "-1 -1 -1 -1 -1 -1");
        let (mut state, _) = StateFile::open(&path, &starts()).unwrap();
        state.record(&id, Some(&play)).unwrap();
        assert!(matches!(StateFile::open(&path, &starts()), Err(StateError::Locked { .. })));
        drop(state);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{}", &whole[..40])).unwrap();
        let matches = StateFile::open(&path, &starts()).unwrap().1;
        assert_eq!(matches.get(&id), Some(&play));
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        // Old news are forgotten.
        let old = format!("{{\"time\":1{}", &whole[whole.find(',').unwrap()..]);
        fs::write(&path, old).unwrap();
        assert!(StateFile::open(&path, &starts()).unwrap().1.is_empty());
        for text in ["my diary\n", "my diary", "{}\n", &whole.replace("\"from\":0", "\"from\":3")] {
            fs::write(&path, text).unwrap();
            let error = StateFile::open(&path, &starts()).unwrap_err().to_string();
            assert!(error.contains("line 1 is no line of a state file"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn refuses_and_keeps_live_matches_of_another_board() {
        let path = path("board");
        let id: SiteId = "5f0a".parse().unwrap();
        let mut play = Play::unknown();
        receive(&mut play, "5 0 3 2 6 5");
        let (mut state, _) = StateFile::open(&path, &starts()).unwrap();
        state.record(&id, Some(&play)).unwrap();
        drop(state);
        // The torn line stays too: a refused file is not touched.
        let text = fs::read_to_string(&path).unwrap() + BEGINNING;
        fs::write(&path, &text).unwrap();
        let fixed = Starts::new(Size::square(10).unwrap(), true, StartChoice::Formula).unwrap();
        let error = StateFile::open(&path, &fixed).unwrap_err().to_string();
        assert!(error.contains("match 5f0a is not over and cannot be restored"), "{error}");
        assert!(error.contains("a board of 8x8, expected 10x10 as --board says"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(StateFile::open(&path, &starts()).unwrap().1.get(&id), Some(&play));
        fs::remove_file(&path).unwrap();
    }
}
