//! Checks a bot for Botzone: plays it in every form and lists the defects that the judge would
//! find.
//!
//! [`check`] plays whole games against random moves: JSON and simplified text, a process for each
//! turn and one that keeps running, both colours, two boards, and two matches at a time. Each turn
//! is observed (`game`); what breaks a rule of the judge is a [`Defect`]. `quiver check` prints
//! them, and has the bot rated besides.

mod defect;
mod game;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use super::fault::LaunchError;
use crate::botzone::request::Form;
use crate::game::Side;
pub use defect::{Defect, DefectKind};
use game::CheckReferee;
pub use game::{BotGame, Scenario};

/// How far beyond a limit the judge's alarm is, by the wall.
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

/// The bot of a check, and the limits that it must keep.
#[derive(Clone, Debug)]
pub struct CheckPlan<'a> {
    /// The bot: a program and its arguments.
    pub command: &'a [String],
    /// The form that it must speak.
    pub form: Form,
    /// The side of the board that it must play on.
    pub board: usize,
    /// The judge's limits.
    pub limits: JudgeLimits,
    /// What the opponent's random moves follow from.
    pub seed: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// The games, in the order in which they were played.
    pub games: Vec<BotGame>,
    /// The defects: the first of each kind, with the number of times it occurred.
    pub defects: Vec<(Defect, u64)>,
    /// Remarks that are no defects.
    pub notes: Vec<String>,
}

impl CheckReport {
    /// True if the bot loses a match by one of its defects.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.defects.iter().any(|(defect, _)| defect.kind.loses())
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
        let scenario = Scenario { form: plan.form, kept: false, side, board: plan.board };
        if play(scenario, &mut report)? {
            play(Scenario { kept: true, ..scenario }, &mut report)?;
        } else if side == Side::First {
            report
                .notes
                .push("it does not ask to be kept running: every turn has a process of its own".to_owned());
        }
    }
    let other_form = if plan.form == Form::Json { Form::Text } else { Form::Json };
    let other_board = if plan.board == 8 { 10 } else { 8 };
    let first = Scenario { form: plan.form, kept: false, side: Side::First, board: plan.board };
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
            report.notes.push(format!("it does not play as {scenario}, which it need not"));
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
        let names = changed.join(", ");
        report.notes.push(format!(
            "it writes files in its folder ({names}): on Botzone only data/ stays, and all matches of a bot share it"
        ));
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
