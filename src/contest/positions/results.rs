//! Scores of players on test positions: positions solved of those asked, by task, phase and theme.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::{Phase, SuiteAnswer, SuiteTask, TestPosition, Theme};
use crate::contest::fault::PlayerFault;
use crate::contest::statistics::wilson;
use crate::contest::table::Table;

/// The answers of a player at one budget.
#[derive(Clone, Debug)]
pub struct SuiteRun {
    /// The player and its budget, for people.
    pub name: String,
    /// The player's spec.
    pub spec: String,
    /// Seconds a position, if limited.
    pub time: Option<Duration>,
    /// Playouts a position, if limited.
    pub playouts: Option<u64>,
    /// Its answers.
    pub answers: Vec<SuiteAnswer>,
    /// Positions that it cannot be asked.
    pub skipped: usize,
}

/// Solved and asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SuiteScore {
    /// Positions asked.
    pub asked: u64,
    /// Positions solved.
    pub solved: u64,
    /// Time used.
    pub spent: Duration,
}

/// A group of positions: a heading and a name, and whether a position belongs to it.
pub struct PositionGroup {
    /// `all`, `task`, `phase` or `theme`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    members: Box<dyn Fn(&TestPosition) -> bool>,
}

/// The groups that have a position, the group of all first.
#[must_use]
pub fn groups(positions: &[TestPosition]) -> Vec<PositionGroup> {
    let mut groups = vec![PositionGroup { kind: "all", name: "all".to_owned(), members: Box::new(|_| true) }];
    let mut add = |kind, name, members| groups.push(PositionGroup { kind, name, members });
    for &task in SuiteTask::ALL {
        add("task", task.to_string(), Box::new(move |position: &TestPosition| position.task == task) as _);
    }
    for &phase in Phase::ALL {
        add("phase", phase.to_string(), Box::new(move |position: &TestPosition| position.phase == phase));
    }
    for &theme in Theme::ALL {
        add("theme", theme.to_string(), Box::new(move |position: &TestPosition| position.theme == theme));
    }
    groups.retain(|group| positions.iter().any(|position| (group.members)(position)));
    groups
}

impl SuiteScore {
    /// The share solved with its 95 % interval; `None` if nothing was asked.
    #[must_use]
    pub fn share(&self) -> Option<(f64, [f64; 2])> {
        let interval = wilson(self.solved, self.asked)?;
        Some((self.solved as f64 / self.asked as f64, interval))
    }
}

impl SuiteRun {
    /// The score in a group.
    #[must_use]
    pub fn score(&self, group: &PositionGroup, positions: &[TestPosition]) -> SuiteScore {
        let mut score = SuiteScore::default();
        for answer in self.answers.iter().filter(|answer| (group.members)(&positions[answer.position])) {
            score.asked += 1;
            score.solved += u64::from(answer.solved);
            score.spent += answer.spent;
        }
        score
    }

    /// The faults with the ids of their positions.
    pub fn faults<'a>(
        &'a self,
        positions: &'a [TestPosition],
    ) -> impl Iterator<Item = (&'a str, &'a PlayerFault)> {
        let fault =
            |answer: &'a SuiteAnswer| Some((&*positions[answer.position].id, answer.answer.as_ref().err()?));
        self.answers.iter().filter_map(fault)
    }
}

/// A table for people: a block for each run.
#[must_use]
pub fn text(runs: &[SuiteRun], positions: &[TestPosition]) -> String {
    let mut out = String::new();
    for run in runs {
        let mut table = Table {
            heads: ["", "solved", "asked", "share", "95 %", "s"].map(str::to_owned).to_vec(),
            ..Table::default()
        };
        for group in groups(positions) {
            let score = run.score(&group, positions);
            let Some((share, [low, high])) = score.share() else { continue };
            table.rows.push(vec![
                if group.kind == "all" { "all".to_owned() } else { format!("{} {}", group.kind, group.name) },
                score.solved.to_string(),
                score.asked.to_string(),
                format!("{:.1} %", 100.0 * share),
                format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high),
                format!("{:.3}", score.spent.as_secs_f64()),
            ]);
        }
        let _ = writeln!(out, "{}\n{}", run.name, table.text().trim_end_matches('\n'));
        if run.skipped > 0 {
            let _ = writeln!(out, "  {} positions skipped: no moves lead to them from a start", run.skipped);
        }
        for (id, fault) in run.faults(positions) {
            let _ = writeln!(out, "  {id}: {}: {}", fault.reason, fault.detail);
        }
        out.push('\n');
    }
    out
}

/// A table for Markdown: a row for each run, a column for each group.
#[must_use]
pub fn table(runs: &[SuiteRun], positions: &[TestPosition]) -> Table {
    let groups = groups(positions);
    let heads = groups.iter().map(|group| match group.kind {
        "all" => "all, 95 %".to_owned(),
        _ => group.name.clone(),
    });
    let row = |run: &SuiteRun| {
        let cells = groups.iter().map(|group| {
            let score = run.score(group, positions);
            match (group.kind, score.share()) {
                (_, None) => "-".to_owned(),
                ("all", Some((_, [low, high]))) => {
                    format!("{}/{}, {:.0} to {:.0} %", score.solved, score.asked, 100.0 * low, 100.0 * high)
                }
                _ => format!("{}/{}", score.solved, score.asked),
            }
        });
        let spent: Duration = run.answers.iter().map(|answer| answer.spent).sum();
        let seconds = format!("{:.2}", spent.as_secs_f64());
        [run.name.clone()].into_iter().chain(cells).chain([seconds]).collect()
    };
    Table {
        heads: ["player".to_owned()].into_iter().chain(heads).chain(["s".to_owned()]).collect(),
        rows: runs.iter().map(row).collect(),
        ..Table::default()
    }
}

/// All results as JSON.
#[derive(Debug, Serialize)]
pub struct SuiteReport<'a> {
    positions: usize,
    runs: Vec<RunReport<'a>>,
}

#[derive(Debug, Serialize)]
struct RunReport<'a> {
    name: &'a str,
    spec: &'a str,
    time: Option<f64>,
    playouts: Option<u64>,
    skipped: usize,
    groups: Vec<GroupReport>,
    answers: Vec<AnswerReport<'a>>,
}

#[derive(Debug, Serialize)]
struct GroupReport {
    kind: &'static str,
    name: String,
    asked: u64,
    solved: u64,
    share: Option<f64>,
    interval: Option<[f64; 2]>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct AnswerReport<'a> {
    id: &'a str,
    solved: bool,
    r#move: Option<String>,
    fault: Option<String>,
    seconds: f64,
}

impl<'a> SuiteReport<'a> {
    /// The results of these runs.
    #[must_use]
    pub fn new(runs: &'a [SuiteRun], positions: &'a [TestPosition]) -> SuiteReport<'a> {
        let run = |run: &'a SuiteRun| RunReport {
            name: &run.name,
            spec: &run.spec,
            time: run.time.map(|time| time.as_secs_f64()),
            playouts: run.playouts,
            skipped: run.skipped,
            groups: groups(positions)
                .into_iter()
                .map(|group| {
                    let score = run.score(&group, positions);
                    let (share, interval) = score.share().unzip();
                    GroupReport {
                        kind: group.kind,
                        name: group.name,
                        asked: score.asked,
                        solved: score.solved,
                        share,
                        interval,
                        seconds: score.spent.as_secs_f64(),
                    }
                })
                .collect(),
            answers: run
                .answers
                .iter()
                .map(|answer| AnswerReport {
                    id: &positions[answer.position].id,
                    solved: answer.solved,
                    r#move: answer.answer.as_ref().ok().map(ToString::to_string),
                    fault: answer
                        .answer
                        .as_ref()
                        .err()
                        .map(|fault| format!("{}: {}", fault.reason, fault.detail)),
                    seconds: answer.spent.as_secs_f64(),
                })
                .collect(),
        };
        SuiteReport { positions: positions.len(), runs: runs.iter().map(run).collect() }
    }
}
