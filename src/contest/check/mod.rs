//! Checks a bot for Botzone: plays it in every form and lists the defects that the judge would
//! find.
//!
//! [`check`] plays whole games against random moves: JSON and simplified text, a process for each
//! turn and one that keeps running, both colours, two boards, and two matches at a time. Each turn
//! is observed (`game`); what breaks a rule of the judge is a [`Defect`]. `quiver check` prints
//! them, and has the bot rated besides.

mod cause;
mod defect;
mod game;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use super::fault::LaunchError;
use crate::botzone::request::Form;
use crate::game::{Language, Side};
pub use cause::Cause;
pub use defect::{Defect, DefectKind};
use game::CheckReferee;
pub use game::{BotGame, Scenario};

/// The time from a limit to the judge's alarm, by the wall.
pub(super) const ALARM: Duration = Duration::from_secs(1);

/// The judge's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeLimits {
    /// CPU time of a turn; by the wall one second more.
    pub time: Duration,
    /// The same for the first turn of a match.
    pub first_time: Duration,
    /// Resident memory, in bytes.
    pub memory: u64,
}

/// The boards of Botzone: the live site's, and the one that its page describes.
const BOARDS: [usize; 2] = [8, 10];

/// The bot of a check, and the limits that it must keep.
#[derive(Clone, Debug)]
pub struct CheckPlan<'a> {
    /// The bot: a program and its arguments.
    pub command: &'a [String],
    /// The form that it must speak.
    pub form: Form,
    /// The side of the board that it must play on; if missing, the first of 8 and 10 that it plays.
    pub board: Option<usize>,
    /// The judge's limits.
    pub limits: JudgeLimits,
    /// The seed of the opponent's random moves.
    pub seed: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// The games, in the order in which they were played.
    pub games: Vec<BotGame>,
    /// The defects: the first of each kind, with the number of times it occurred.
    pub defects: Vec<(Defect, u64)>,
    /// Remarks that are not about defects.
    pub notes: Vec<Note>,
}

/// A remark on the bot that is not about a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// It does not ask to be kept running.
    NotKept,
    /// It does not play this form or this board.
    NotPlayed(Scenario),
    /// It writes these files in its folder.
    WritesFiles(Vec<String>),
}

impl Note {
    /// The remark in words.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let english = language == Language::English;
        match self {
            Note::NotKept if english => {
                "it does not ask to be kept running: every turn has a process of its own".to_owned()
            }
            Note::NotKept => "它不请求长时运行：每回合启动一个新进程".to_owned(),
            Note::NotPlayed(scenario) if english => {
                format!("it does not play as {scenario}, which it need not")
            }
            Note::NotPlayed(scenario) => format!("它不支持（也不必支持）：{}", scenario.text(language)),
            Note::WritesFiles(names) if english => format!(
                "it writes files in its folder ({}): on Botzone only data/ stays, and all matches of a bot share it",
                names.join(", ")
            ),
            Note::WritesFiles(names) => format!(
                "它在自己的目录里写文件（{}）：Botzone 只保留 data/，且同一程序的所有对局共用",
                names.join(", ")
            ),
        }
    }
}

impl CheckReport {
    /// True if the bot loses a match by one of its defects.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.defects.iter().any(|(defect, _)| defect.kind.loses())
    }

    /// The boards on which the bot made a move.
    #[must_use]
    pub fn boards(&self) -> BTreeSet<usize> {
        let played = self.games.iter().filter(|game| game.own_moves() > 0);
        played.map(|game| game.scenario.board).collect()
    }

    fn take(&mut self, game: BotGame) {
        for defect in &game.defects {
            self.add(defect.clone());
        }
        self.games.push(game);
    }

    fn add(&mut self, defect: Defect) {
        match self.defects.iter_mut().find(|(known, _)| known.kind == defect.kind) {
            Some((_, count)) => *count += 1,
            None => self.defects.push((defect, 1)),
        }
    }
}

/// Tries the bot; `progress` is told what is played next.
///
/// # Errors
/// If its program does not start.
pub fn check(
    plan: &CheckPlan<'_>,
    interrupt: &AtomicBool,
    mut progress: impl FnMut(&str),
) -> Result<CheckReport, LaunchError> {
    let referee = CheckReferee::new(plan, interrupt);
    let mut report = CheckReport::default();
    let before = folder();
    let first = |board| Scenario { form: plan.form, kept: false, side: Side::First, board };
    let mut found = None;
    for board in BOARDS.into_iter().filter(|_| plan.board.is_none()) {
        progress(&first(board).to_string());
        found = referee.play(&first(board))?.filter(|game| game.own_moves() > 0);
        if found.is_some() {
            break;
        }
    }
    let found_board = found.as_ref().map(|game| game.scenario.board);
    let board = plan.board.or(found_board).unwrap_or(BOARDS[0]);
    // True if the bot asked to be kept running.
    let mut play = |scenario: Scenario, report: &mut CheckReport| -> Result<bool, LaunchError> {
        if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(false);
        }
        progress(&scenario.to_string());
        let Some(game) = referee.play(&scenario)? else { return Ok(false) };
        let kept = game.asks_to_be_kept;
        report.take(game);
        Ok(kept)
    };
    for side in Side::BOTH {
        let scenario = Scenario { side, ..first(board) };
        let asks_to_be_kept = match found.take() {
            None => play(scenario, &mut report)?,
            Some(game) => {
                let asks = game.asks_to_be_kept;
                report.take(game);
                asks
            }
        };
        if asks_to_be_kept {
            play(Scenario { kept: true, ..scenario }, &mut report)?;
        } else if side == Side::First {
            report.notes.push(Note::NotKept);
        }
    }
    let other_form = if plan.form == Form::Json { Form::Text } else { Form::Json };
    let other_board = if board == BOARDS[0] { BOARDS[1] } else { BOARDS[0] };
    let first = first(board);
    for scenario in [Scenario { form: other_form, ..first }, Scenario { board: other_board, ..first }] {
        // A bot need not play every form and board. If it fails at its first turn, it does not
        // claim to play this one, and that is no defect.
        let mut tried = CheckReport::default();
        let kept = play(scenario, &mut tried)?;
        if tried.games.iter().any(|game| game.own_moves() > 0) {
            play(Scenario { side: Side::Second, ..scenario }, &mut tried)?;
            if kept {
                play(Scenario { kept: true, ..scenario }, &mut tried)?;
            }
            tried.games.drain(..).for_each(|game| report.take(game));
        } else {
            report.notes.push(Note::NotPlayed(scenario));
        }
    }
    if !report.loses() {
        progress("two matches at a time");
        if let Some(defect) = referee.leak(&first)? {
            report.add(defect);
        }
    }
    let changed = changes(&before, &folder());
    if !changed.is_empty() {
        report.notes.push(Note::WritesFiles(changed));
    }
    Ok(report)
}

/// The names in the current folder with the times of their last change.
fn folder() -> BTreeMap<String, Option<SystemTime>> {
    let entries = fs::read_dir(Path::new(".")).into_iter().flatten().flatten();
    let entry = |entry: fs::DirEntry| {
        let changed =
            entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|data| data.modified().ok());
        (entry.file_name().to_string_lossy().into_owned(), changed)
    };
    entries.map(entry).collect()
}

fn changes(
    before: &BTreeMap<String, Option<SystemTime>>,
    after: &BTreeMap<String, Option<SystemTime>>,
) -> Vec<String> {
    let changed = after.iter().filter(|(name, changed)| before.get(*name) != Some(changed));
    changed.map(|(name, _)| name.clone()).take(5).collect()
}
