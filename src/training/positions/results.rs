//! The scores of players on test positions by task, phase and theme, as tables and as a picture.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::suite::SuiteAnswer;
use super::{TestPosition, name};
use crate::contest::Entrant;
use crate::contest::statistics::wilson;
use crate::contest::table::Table;
use crate::messages::escape;

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
    /// The score of each group that has a position, that of all first.
    groups: Vec<GroupScore>,
    answers: Vec<SuiteAnswer>,
}

#[derive(Debug, Serialize)]
struct GroupScore {
    /// `all`, `task`, `phase` or `theme`.
    kind: &'static str,
    name: String,
    asked: usize,
    solved: usize,
    /// The share solved and its 95 % interval; null if no position was asked.
    share: Option<f64>,
    interval: Option<[f64; 2]>,
    seconds: f64,
}

/// The groups of a position, which sort in the order of reports: place, kind and name.
fn groups(TestPosition { task, phase, theme, .. }: &TestPosition) -> [([u8; 2], &'static str, String); 4] {
    [
        ([0, 0], "all", "all".to_owned()),
        ([1, *task as u8], "task", name(task)),
        ([2, *phase as u8], "phase", name(phase)),
        ([3, *theme as u8], "theme", name(theme)),
    ]
}

impl GroupScore {
    /// The group for people, with this between its kind and its name.
    fn label(&self, between: &str) -> String {
        if self.kind == "all" { "all".to_owned() } else { format!("{}{between}{}", self.kind, self.name) }
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
            // The empty `sum` is -0.0.
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
            let heads = ["", "solved", "asked", "share", "95 %", "s"];
            let table = Table::new(heads, run.groups.iter().filter_map(row));
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
        let heads = ["player".to_owned()].into_iter().chain(heads).chain(["s".to_owned()]);
        Table::new(heads, self.runs.iter().map(row))
    }

    /// A table for CSV: a row for each run and group, the figures unrounded. A missing figure is an
    /// empty cell.
    pub(crate) fn rows(&self) -> Table {
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

/// Lengths in the picture's own units.
const LABELS: f64 = 170.0;
const BARS: f64 = 400.0;
const BAR: f64 = 12.0;

/// Colours of the runs, in their order and then again: Okabe and Ito's, told apart by all readers.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933"];

/// The share solved as an SVG picture: a bar for each run in each group, with its 95 % interval.
/// Writing to a string cannot fail.
pub(crate) fn svg(title: &str, report: &SuiteReport) -> String {
    let (runs, mut out, mut y) = (&report.runs, String::new(), 34.0);
    let bar = |x: f64, y: f64, width: f64, colour: &str| {
        format!("<rect x=\"{x}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"10\" fill=\"{colour}\"/>")
    };
    let text = |x: f64, y: f64, anchor: &str, text: &str| {
        format!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escape(text))
    };
    let colours = || COLOURS.into_iter().cycle();
    for (run, colour) in runs.iter().zip(colours()) {
        out += &(bar(8.0, y + 1.0, 10.0, colour) + &text(26.0, y + 10.0, "start", &run.name));
        y += 18.0;
    }
    let top = y + 10.0;
    y = top;
    for (number, group) in runs.first().iter().flat_map(|run| run.groups.iter().enumerate()) {
        out += &text(LABELS - 8.0, y + BAR * runs.len() as f64 / 2.0 + 4.0, "end", &group.label(": "));
        for (run, colour) in runs.iter().zip(colours()) {
            let score = &run.groups[number];
            let (Some(share), Some(interval)) = (score.share, score.interval) else { continue };
            let ([low, high], line) = (interval.map(|share| LABELS + BARS * share), y + BAR / 2.0);
            out += &bar(LABELS, y + 1.0, BARS * share, colour);
            let _ = write!(out, "<path class=\"interval\" d=\"M{low:.1} {line:.1}H{high:.1}\"/>");
            let count = format!("{}/{}", score.solved, score.asked);
            out += &text(LABELS + BARS + 6.0, y + 10.0, "start", &count);
            y += BAR;
        }
        y += 10.0;
    }
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let x = LABELS + BARS * percent / 100.0;
        let _ = write!(out, "<path class=\"axis\" d=\"M{x:.1} {:.1}V{:.1}\"/>", top - 4.0, y - 4.0);
        out += &text(x, y + 10.0, "middle", &format!("{percent} %"));
    }
    let (width, height, title) = (LABELS + BARS + 60.0, y + 20.0, escape(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n<style>\n\
         svg {{ background: #fff; }}\ntext {{ font: 11px system-ui, sans-serif; fill: #222; }}\n\
         .axis {{ stroke: #ccc; }}\n.interval {{ stroke: #222; stroke-width: 1.5; }}\n</style>\n\
         <text x=\"8\" y=\"18\" font-weight=\"bold\">{title}</text>\n{out}</svg>\n"
    )
}
