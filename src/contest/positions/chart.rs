//! The share solved as an SVG picture: a bar for each run in each group, with its 95 % interval.

use std::fmt::Write as _;

use super::results::SuiteReport;
use crate::messages::escape;

/// Lengths in the picture's own units.
const LABELS: f64 = 170.0;
const BARS: f64 = 400.0;
const NUMBERS: f64 = 60.0;
const BAR: f64 = 12.0;
const GAP: f64 = 10.0;
const ROW: f64 = 18.0;

/// Colours of the runs, in their order and then again: Okabe and Ito's, told apart by all readers.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933"];

/// The picture of the runs of a report.
pub(crate) fn svg(title: &str, report: &SuiteReport) -> String {
    let runs = &report.runs;
    let width = LABELS + BARS + NUMBERS;
    let mut body = String::new();
    let mut y = 34.0;
    for (index, run) in runs.iter().enumerate() {
        let _ = writeln!(
            body,
            "<rect x=\"8\" y=\"{:.1}\" width=\"{BAR}\" height=\"{BAR}\" fill=\"{}\"/>\
             <text x=\"26\" y=\"{:.1}\">{}</text>",
            y,
            colour(index),
            y + 10.0,
            escape(&run.name)
        );
        y += ROW;
    }
    y += GAP;
    let top = y;
    for (number, group) in runs.first().iter().flat_map(|run| run.groups.iter().enumerate()) {
        let middle = y + BAR * runs.len() as f64 / 2.0 + 4.0;
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
            LABELS - 8.0,
            escape(&group.label(": "))
        );
        for (index, run) in runs.iter().enumerate() {
            let score = &run.groups[number];
            let (Some(share), Some([low, high])) = (score.share, score.interval) else { continue };
            let at = |share: f64| LABELS + BARS * share;
            let line = y + BAR / 2.0;
            let _ = writeln!(
                body,
                "<rect x=\"{LABELS}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
                 <path class=\"interval\" d=\"M{:.1} {line:.1}H{:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}/{}</text>",
                y + 1.0,
                BARS * share,
                BAR - 2.0,
                colour(index),
                at(low),
                at(high),
                LABELS + BARS + 6.0,
                y + 10.0,
                score.solved,
                score.asked
            );
            y += BAR;
        }
        y += GAP;
    }
    let mut axis = String::new();
    for quarter in 0..=4 {
        let x = LABELS + BARS * f64::from(quarter) / 4.0;
        let _ = writeln!(
            axis,
            "<path class=\"axis\" d=\"M{x:.1} {:.1}V{:.1}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} %</text>",
            top - 4.0,
            y - 4.0,
            y + 10.0,
            25 * quarter
        );
    }
    let (height, title) = (y + 20.0, escape(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n<style>\n\
         svg {{ background: #fff; }}\ntext {{ font: 11px system-ui, sans-serif; fill: #222; }}\n\
         .axis {{ stroke: #ccc; }}\n.interval {{ stroke: #222; stroke-width: 1.5; }}\n</style>\n\
         <text x=\"8\" y=\"18\" font-weight=\"bold\">{title}</text>\n{axis}{body}</svg>\n"
    )
}

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}
