//! Scores of players on test positions: positions solved of those asked, by task, phase and theme.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::{ExamAnswer, Phase, SuiteTask, TestPosition, Theme};
use crate::contest::fault::PlayerFault;
use crate::contest::statistics::wilson;

/// The answers of a player at one budget.
#[derive(Clone, Debug)]
pub struct ExamRun {
    /// The player and its budget, for people.
    pub name: String,
    /// The player's spec.
    pub spec: String,
    /// Seconds a position, if limited.
    pub time: Option<Duration>,
    /// Playouts a position, if limited.
    pub playouts: Option<u64>,
    /// Its answers.
    pub answers: Vec<ExamAnswer>,
    /// Positions that it cannot be asked.
    pub skipped: usize,
}

/// Solved and asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExamScore {
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

impl ExamScore {
    /// The share solved with its 95 % interval; `None` if nothing was asked.
    #[must_use]
    pub fn share(&self) -> Option<(f64, [f64; 2])> {
        let interval = wilson(self.solved, self.asked)?;
        Some((self.solved as f64 / self.asked as f64, interval))
    }
}

impl ExamRun {
    /// The marks of a group.
    #[must_use]
    pub fn marks(&self, group: &PositionGroup, positions: &[TestPosition]) -> ExamScore {
        let mut marks = ExamScore::default();
        for answer in self.answers.iter().filter(|answer| (group.members)(&positions[answer.position])) {
            marks.asked += 1;
            marks.solved += u64::from(answer.solved);
            marks.spent += answer.spent;
        }
        marks
    }

    /// The faults with the ids of their positions.
    pub fn faults<'a>(
        &'a self,
        positions: &'a [TestPosition],
    ) -> impl Iterator<Item = (&'a str, &'a PlayerFault)> {
        let fault =
            |answer: &'a ExamAnswer| Some((&*positions[answer.position].id, answer.answer.as_ref().err()?));
        self.answers.iter().filter_map(fault)
    }
}

/// A table for people: a block for each run.
#[must_use]
pub fn text(runs: &[ExamRun], positions: &[TestPosition]) -> String {
    let mut out = String::new();
    for run in runs {
        let _ = writeln!(out, "{}", run.name);
        let _ = writeln!(
            out,
            "  {:<22}{:>6} {:>6} {:>8}  {:<15}{:>10}",
            "", "solved", "asked", "share", "95 %", "s"
        );
        for group in groups(positions) {
            let marks = run.marks(&group, positions);
            let Some((share, [low, high])) = marks.share() else { continue };
            let label =
                if group.kind == "all" { "all".to_owned() } else { format!("{} {}", group.kind, group.name) };
            let interval = format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high);
            let _ = writeln!(
                out,
                "  {label:<22}{:>6} {:>6} {:>6.1} %  {interval:<15}{:>10.3}",
                marks.solved,
                marks.asked,
                100.0 * share,
                marks.spent.as_secs_f64()
            );
        }
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

/// A Markdown table: a row for each run, a column for each group.
#[must_use]
pub fn markdown(runs: &[ExamRun], positions: &[TestPosition]) -> String {
    let groups = groups(positions);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let heads = groups.iter().map(|group| match group.kind {
        "all" => "all, 95 %".to_owned(),
        _ => group.name.clone(),
    });
    let mut out = line(["player".to_owned()].into_iter().chain(heads).chain(["s".to_owned()]).collect());
    out += &format!("|---{}|\n", "|---:".repeat(groups.len() + 1));
    for run in runs {
        let mut cells = vec![run.name.replace('|', "\\|")];
        for group in &groups {
            let marks = run.marks(group, positions);
            cells.push(match (group.kind, marks.share()) {
                (_, None) => "-".to_owned(),
                ("all", Some((_, [low, high]))) => {
                    format!("{}/{}, {:.0} to {:.0} %", marks.solved, marks.asked, 100.0 * low, 100.0 * high)
                }
                _ => format!("{}/{}", marks.solved, marks.asked),
            });
        }
        cells.push(format!(
            "{:.2}",
            run.answers.iter().map(|answer| answer.spent).sum::<Duration>().as_secs_f64()
        ));
        out += &line(cells);
    }
    out
}

/// Everything as one object.
#[must_use]
pub fn json(runs: &[ExamRun], positions: &[TestPosition]) -> Value {
    let groups = groups(positions);
    let run = |run: &ExamRun| {
        let marks = |group: &PositionGroup| {
            let marks = run.marks(group, positions);
            json!({
                "kind": group.kind,
                "name": group.name,
                "asked": marks.asked,
                "solved": marks.solved,
                "share": marks.share().map(|(share, _)| share),
                "interval": marks.share().map(|(_, interval)| interval),
                "seconds": marks.spent.as_secs_f64(),
            })
        };
        let answer = |answer: &ExamAnswer| {
            json!({
                "id": positions[answer.position].id,
                "solved": answer.solved,
                "move": answer.answer.as_ref().ok().map(ToString::to_string),
                "fault": answer.answer.as_ref().err().map(|fault| format!("{}: {}", fault.reason, fault.detail)),
                "seconds": answer.spent.as_secs_f64(),
            })
        };
        json!({
            "name": run.name,
            "spec": run.spec,
            "time": run.time.map(|time| time.as_secs_f64()),
            "playouts": run.playouts,
            "skipped": run.skipped,
            "groups": groups.iter().map(marks).collect::<Vec<_>>(),
            "answers": run.answers.iter().map(answer).collect::<Vec<_>>(),
        })
    };
    json!({"positions": positions.len(), "runs": runs.iter().map(run).collect::<Vec<_>>()})
}
