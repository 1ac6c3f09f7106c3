//! Tables of the scores of players on test positions, by task, phase and theme.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::suite::SuiteAnswer;
use super::{TestPosition, serialized_name};
use crate::contest::Entrant;
use crate::contest::statistics::wilson;
use crate::contest::table::Table;

#[derive(Debug, Serialize)]
pub(crate) struct SuiteReport {
    positions: usize,
    runs: Vec<SuiteRun>,
}

#[derive(Debug, Serialize)]
struct SuiteRun {
    name: String,
    spec: String,
    time: Option<f64>,
    playouts: Option<u64>,
    skipped: usize,
    /// The score of each group of positions. The group of all positions comes first.
    groups: Vec<GroupScore>,
    answers: Vec<SuiteAnswer>,
}

#[derive(Debug, Serialize)]
struct GroupScore {
    /// The property that forms the group: `all`, `task`, `phase` or `theme`.
    kind: &'static str,
    name: String,
    asked: usize,
    solved: usize,
    /// The fraction of solved positions and its 95 % interval; null if the player got no position.
    share: Option<f64>,
    interval: Option<[f64; 2]>,
    seconds: f64,
}

/// The groups to which a position belongs, each as (sort key, kind, name).
fn groups(TestPosition { task, phase, theme, .. }: &TestPosition) -> [([u8; 2], &'static str, String); 4] {
    [
        ([0, 0], "all", "all".to_owned()),
        ([1, *task as u8], "task", serialized_name(task)),
        ([2, *phase as u8], "phase", serialized_name(phase)),
        ([3, *theme as u8], "theme", serialized_name(theme)),
    ]
}

impl GroupScore {
    fn label(&self) -> String {
        if self.kind == "all" { "all".to_owned() } else { format!("{} {}", self.kind, self.name) }
    }
}

impl SuiteReport {
    pub(crate) fn new(runs: Vec<(&Entrant, Vec<SuiteAnswer>)>, positions: &[TestPosition]) -> SuiteReport {
        let all: BTreeSet<_> = positions.iter().flat_map(groups).collect();
        let score = |group: &([u8; 2], &'static str, String), answers: &[SuiteAnswer]| {
            let is_member = |answer: &&SuiteAnswer| groups(&positions[answer.position]).contains(group);
            let own: Vec<&SuiteAnswer> = answers.iter().filter(is_member).collect();
            let (asked, solved) = (own.len(), own.iter().filter(|answer| answer.solved).count());
            let share = (asked > 0).then(|| solved as f64 / asked as f64);
            let interval = share.map(|share| wilson(share, asked as f64));
            // `Iterator::sum` of an empty list would give -0.0.
            let seconds = own.iter().fold(0.0, |sum, answer| sum + answer.seconds);
            GroupScore { kind: group.1, name: group.2.clone(), asked, solved, share, interval, seconds }
        };
        let run = |(entrant, answers): (&Entrant, Vec<SuiteAnswer>)| SuiteRun {
            name: entrant.name.clone(),
            spec: entrant.spec.to_string(),
            time: entrant.time.map(|time| time.as_secs_f64()),
            playouts: entrant.playouts,
            skipped: positions.len() - answers.len(),
            groups: all.iter().map(|group| score(group, &answers)).collect(),
            answers,
        };
        SuiteReport { positions: positions.len(), runs: runs.into_iter().map(run).collect() }
    }

    pub(crate) fn fault_count(&self) -> usize {
        let answers = self.runs.iter().flat_map(|run| &run.answers);
        answers.filter(|answer| answer.fault.is_some()).count()
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for run in &self.runs {
            let row = |group: &GroupScore| {
                let [low, high] = group.interval?.map(|bound| 100.0 * bound);
                Some(vec![
                    group.label(),
                    group.solved.to_string(),
                    group.asked.to_string(),
                    format!("{:.1} %", 100.0 * group.share?),
                    format!("{low:.1} to {high:.1}"),
                    format!("{:.3}", group.seconds),
                ])
            };
            let heads = ["", "solved", "asked", "share", "95 %", "s"];
            let table = Table::new(heads, run.groups.iter().filter_map(row));
            let _ = writeln!(out, "{}\n{}", run.name, table.text().trim_end_matches('\n'));
            if run.skipped > 0 {
                let skipped = run.skipped;
                let _ =
                    writeln!(out, "  {skipped} positions skipped: their moves from the start are unknown");
            }
            for SuiteAnswer { id, fault, .. } in &run.answers {
                let _ = fault.as_ref().map(|fault| writeln!(out, "  {id}: {fault}"));
            }
            out.push('\n');
        }
        out
    }

    /// A table for CSV with unrounded numbers.
    pub(crate) fn csv_table(&self) -> Table {
        let row = |run: &SuiteRun, group: &GroupScore| {
            let [low, high] = group.interval.map_or([None; 2], |bounds| bounds.map(Some));
            let [asked, solved] = [group.asked, group.solved].map(|count| Some(count as f64));
            let figures = [asked, solved, group.share, low, high, Some(group.seconds)];
            let limits = [run.time, run.playouts.map(|playouts| playouts as f64)];
            let cell = |figure: Option<f64>| figure.map_or_else(String::new, |figure| figure.to_string());
            let names = [run.name.clone(), run.spec.clone()].into_iter().chain(limits.map(cell));
            let group = [group.kind.to_owned(), group.name.clone()];
            names.chain(group).chain(figures.map(cell)).collect()
        };
        let heads = "player,spec,time,playouts,kind,group,asked,solved,share,low,high,seconds".split(',');
        let rows = self.runs.iter().flat_map(|run| run.groups.iter().map(move |group| row(run, group)));
        Table::new(heads, rows)
    }
}
