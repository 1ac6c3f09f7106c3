//! Checks a bot for Botzone: plays it in every form and lists the defects that the judge would
//! find.
//!
//! [`check`] plays whole games against random moves: JSON and simplified text, a process for each
//! turn and one that keeps running, both colours, two boards, and two matches at a time. Each turn
//! is watched (`trial`); what breaks a rule of the judge is a [`Defect`]. `quiver check` prints
//! them, and has the bot rated besides.

mod defect;
mod trial;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use super::contestant::{Conditions, GameContext, Interrupt, RunningSearches};
use super::fault::LaunchError;
use super::program::Launch;
use crate::botzone::request::Form;
use crate::game::{Game, Side};
pub use defect::{Defect, DefectKind};
pub use trial::{Scenario, Trial};

/// How far beyond a limit the judge's alarm is, by the wall.
pub(super) const ALARM: Duration = Duration::from_secs(1);

/// What the judge allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeLimits {
    /// CPU time of a turn; by the wall one second more.
    pub time: Duration,
    /// The same for the first turn of a match.
    pub first_time: Duration,
    /// Resident memory, in bytes.
    pub memory: u64,
}

/// What is tried, and how.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The bot: a program and its arguments.
    pub command: &'a [String],
    /// The form that it must speak.
    pub form: Form,
    /// The side of the board that it must play on.
    pub board: usize,
    /// What the judge allows.
    pub limits: JudgeLimits,
    /// What the opponent's random moves follow from.
    pub seed: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The games, in the order in which they were played.
    pub trials: Vec<Trial>,
    /// The defects: the first of each kind, with the number of times it occurred.
    pub defects: Vec<(Defect, u64)>,
    /// Remarks that are no defects.
    pub notes: Vec<String>,
}

impl Findings {
    /// Whether the bot loses a match by one of its defects.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.defects.iter().any(|(defect, _)| defect.kind.loses())
    }

    /// The games, for a page.
    #[must_use]
    pub fn games(&self) -> Vec<Game> {
        self.trials.iter().map(Trial::game).collect()
    }

    fn take(&mut self, trial: Trial) {
        for defect in &trial.defects {
            self.add(defect.clone());
        }
        self.trials.push(trial);
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
    plan: &Plan<'_>,
    interrupt: &AtomicBool,
    mut progress: impl FnMut(&str),
) -> Result<Findings, LaunchError> {
    let searches = RunningSearches::default();
    let conditions = Conditions { grace: ALARM, patience: Some(ALARM), ..Conditions::default() };
    let context = GameContext {
        conditions,
        log: None,
        game: 0,
        seat: 0,
        interrupt: Interrupt(interrupt),
        searches: &searches,
        live: None,
    };
    let launch = Launch { command: plan.command, memory_limit: None, cpu_limit: None };
    let mut findings = Findings::default();
    let before = folder();
    let mut play = |scenario: Scenario, findings: &mut Findings| -> Result<bool, LaunchError> {
        if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(false);
        }
        progress(&scenario.to_string());
        let trial = trial::play(&scenario, plan, &launch, &context, trial::SEEDS[0])?;
        let kept = trial.asks_to_be_kept;
        findings.take(trial);
        Ok(kept)
    };
    for side in Side::BOTH {
        let scenario = Scenario { form: plan.form, kept: false, side, board: plan.board };
        if play(scenario, &mut findings)? {
            play(Scenario { kept: true, ..scenario }, &mut findings)?;
        } else if side == Side::First {
            findings
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
        let mut tried = Findings::default();
        let kept = play(scenario, &mut tried)?;
        let speaks = tried.trials.iter().any(|trial| !trial.moves.is_empty());
        if speaks && tried.trials.iter().all(|trial| trial.own_moves() > 0) {
            play(Scenario { side: Side::Second, ..scenario }, &mut tried)?;
            if kept {
                play(Scenario { kept: true, ..scenario }, &mut tried)?;
            }
            tried.trials.drain(..).for_each(|trial| findings.take(trial));
        } else {
            findings.notes.push(format!("it does not play as {scenario}, which it need not"));
        }
    }
    if !findings.loses() {
        progress("two matches at a time");
        if let Some(defect) = trial::leak(&first, plan, &launch, &context)? {
            findings.add(defect);
        }
    }
    let changed = changes(&before, &folder());
    if !changed.is_empty() {
        let names = changed.join(", ");
        findings.notes.push(format!(
            "it writes files in its folder ({names}): on Botzone only data/ stays, and all matches of a bot share it"
        ));
    }
    Ok(findings)
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
