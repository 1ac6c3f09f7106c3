//! The share solved as an SVG picture: a bar for each run in each group, with its 95 % interval.

use std::fmt::Write as _;

use super::results::SuiteReport;
use crate::messages::escape;

/// Lengths in the picture's own units.
const LABELS: f64 = 170.0;
const BARS: f64 = 400.0;
const BAR: f64 = 12.0;

/// Colours of the runs, in their order and then again: Okabe and Ito's, told apart by all readers.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933"];

/// The picture of the runs of a report. Writing to a string cannot fail.
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
