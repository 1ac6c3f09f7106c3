//! Scores of players on test positions: positions solved of those asked, by task, phase and theme.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Phase, SuiteAnswer, SuiteTask, TestPosition, Theme};
use crate::contest::entrant::Entrant;
use crate::contest::statistics::wilson;
use crate::contest::table::Table;

#[derive(Debug, Serialize)]
pub(crate) struct SuiteReport {
    positions: usize,
    pub(super) runs: Vec<SuiteRun>,
}

/// The answers of a player at one budget.
#[derive(Debug, Serialize)]
pub(super) struct SuiteRun {
    pub(super) name: String,
    spec: String,
    /// Seconds a position, if limited.
    time: Option<f64>,
    /// Playouts a position, if limited.
    playouts: Option<u64>,
    /// The number of positions that it cannot be asked.
    skipped: usize,
    /// The score of each group that has a position, that of all first.
    pub(super) groups: Vec<GroupScore>,
    answers: Vec<SuiteAnswer>,
}

/// The score in a group of positions.
#[derive(Debug, Serialize)]
pub(super) struct GroupScore {
    /// `all`, `task`, `phase` or `theme`.
    kind: &'static str,
    name: String,
    pub(super) asked: u64,
    pub(super) solved: u64,
    /// The share solved and its 95 % interval; null if no position was asked.
    pub(super) share: Option<f64>,
    pub(super) interval: Option<[f64; 2]>,
    seconds: f64,
}

/// The groups of positions, in the order of reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PositionGroup {
    All,
    Task(SuiteTask),
    Phase(Phase),
    Theme(Theme),
}

impl PositionGroup {
    fn of(position: &TestPosition) -> [PositionGroup; 4] {
        let TestPosition { task, phase, theme, .. } = *position;
        [
            PositionGroup::All,
            PositionGroup::Task(task),
            PositionGroup::Phase(phase),
            PositionGroup::Theme(theme),
        ]
    }

    fn score(self, answers: &[SuiteAnswer], positions: &[TestPosition]) -> GroupScore {
        let (kind, name) = match self {
            PositionGroup::All => ("all", "all".to_owned()),
            PositionGroup::Task(task) => ("task", task.to_string()),
            PositionGroup::Phase(phase) => ("phase", phase.to_string()),
            PositionGroup::Theme(theme) => ("theme", theme.to_string()),
        };
        let members =
            answers.iter().filter(|answer| PositionGroup::of(&positions[answer.position]).contains(&self));
        let (mut asked, mut solved, mut seconds) = (0, 0, 0.0);
        for answer in members {
            asked += 1;
            solved += u64::from(answer.solved);
            seconds += answer.seconds;
        }
        let interval = wilson(solved, asked);
        let share = interval.map(|_| solved as f64 / asked as f64);
        GroupScore { kind, name, asked, solved, share, interval, seconds }
    }
}

impl GroupScore {
    /// The group for people, with this between its kind and its name.
    pub(super) fn label(&self, between: &str) -> String {
        if self.kind == "all" { "all".to_owned() } else { format!("{}{between}{}", self.kind, self.name) }
    }
}

impl SuiteReport {
    /// The results of these players with their answers.
    pub(crate) fn new(runs: Vec<(&Entrant, Vec<SuiteAnswer>)>, positions: &[TestPosition]) -> SuiteReport {
        let groups: BTreeSet<PositionGroup> = positions.iter().flat_map(PositionGroup::of).collect();
        let run = |(entrant, answers): (&Entrant, Vec<SuiteAnswer>)| SuiteRun {
            name: entrant.name.clone(),
            spec: entrant.spec.to_string(),
            time: entrant.allowance.time.map(|time| time.as_secs_f64()),
            playouts: entrant.allowance.playouts,
            skipped: positions.len() - answers.len(),
            groups: groups.iter().map(|group| group.score(&answers, positions)).collect(),
            answers,
        };
        SuiteReport { positions: positions.len(), runs: runs.into_iter().map(run).collect() }
    }

    pub(crate) fn faults(&self) -> usize {
        let answers = self.runs.iter().flat_map(|run| &run.answers);
        answers.filter(|answer| answer.fault.is_some()).count()
    }

    /// A text for people: a table for each run.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for run in &self.runs {
            let row = |group: &GroupScore| {
                let [low, high] = group.interval?.map(|bound| 100.0 * bound);
                Some(vec![
                    group.label(" "),
                    group.solved.to_string(),
                    group.asked.to_string(),
                    format!("{:.1} %", 100.0 * group.share?),
                    format!("{low:.1} to {high:.1}"),
                    format!("{:.3}", group.seconds),
                ])
            };
            let table = Table {
                heads: ["", "solved", "asked", "share", "95 %", "s"].map(str::to_owned).to_vec(),
                rows: run.groups.iter().filter_map(row).collect(),
                ..Table::default()
            };
            let _ = writeln!(out, "{}\n{}", run.name, table.text().trim_end_matches('\n'));
            if run.skipped > 0 {
                let skipped = run.skipped;
                let _ = writeln!(out, "  {skipped} positions skipped: no moves lead to them from a start");
            }
            for SuiteAnswer { id, fault, .. } in &run.answers {
                let _ = fault.as_ref().map(|fault| writeln!(out, "  {id}: {fault}"));
            }
            out.push('\n');
        }
        out
    }

    /// A table for Markdown: a row for each run, a column for each group.
    pub(crate) fn table(&self) -> Table {
        let groups = self.runs.first().map_or(&[][..], |run| &run.groups);
        let heads = groups.iter().map(|group| match group.kind {
            "all" => "all, 95 %".to_owned(),
            _ => group.name.clone(),
        });
        let cell = |group: &GroupScore| match (group.kind, group.interval) {
            (_, None) => "-".to_owned(),
            ("all", Some([low, high])) => {
                format!("{}/{}, {:.0} to {:.0} %", group.solved, group.asked, 100.0 * low, 100.0 * high)
            }
            _ => format!("{}/{}", group.solved, group.asked),
        };
        let row = |run: &SuiteRun| {
            let seconds = run.groups.first().map_or(0.0, |all| all.seconds);
            let cells = [run.name.clone()].into_iter().chain(run.groups.iter().map(cell));
            cells.chain([format!("{seconds:.2}")]).collect()
        };
        Table {
            heads: ["player".to_owned()].into_iter().chain(heads).chain(["s".to_owned()]).collect(),
            rows: self.runs.iter().map(row).collect(),
            ..Table::default()
        }
    }

    /// A table for CSV: a row for each run and group, the figures unrounded. A missing figure is an
    /// empty cell.
    pub(crate) fn rows(&self) -> Table {
        const HEADS: [&str; 12] = [
            "player", "spec", "time", "playouts", "kind", "group", "asked", "solved", "share", "low", "high",
            "seconds",
        ];
        fn cell<T: ToString>(figure: Option<T>) -> String {
            figure.map_or_else(String::new, |figure| figure.to_string())
        }
        let row = |run: &SuiteRun, group: &GroupScore| {
            vec![
                run.name.clone(),
                run.spec.clone(),
                cell(run.time),
                cell(run.playouts),
                group.kind.to_owned(),
                group.name.clone(),
                group.asked.to_string(),
                group.solved.to_string(),
                cell(group.share),
                cell(group.interval.map(|[low, _]| low)),
                cell(group.interval.map(|[_, high]| high)),
                group.seconds.to_string(),
            ]
        };
        let rows = self.runs.iter().flat_map(|run| run.groups.iter().map(move |group| row(run, group)));
        Table { heads: HEADS.map(str::to_owned).to_vec(), rows: rows.collect(), ..Table::default() }
    }
}
