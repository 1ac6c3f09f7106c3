//! A move as the judge reads it.

use std::fmt::Write as _;

use serde::Serialize;

use super::conversation::TurnAnswer;
use super::request::Form;
use crate::game::Coordinates;
use crate::messages::counted;
use crate::search::Report;

/// The line that keeps a process alive until the next turn.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Plies of the principal variation that the debug line shows.
const SHOWN_PLIES: usize = 6;

/// The object of the JSON form. The judge wants plain integers and the order is free.
#[derive(Serialize)]
struct Object<'a> {
    response: Coordinates,
    debug: &'a str,
}

impl TurnAnswer {
    /// The output of a turn, line breaks included.
    pub(super) fn text(&self) -> String {
        let coordinates = Coordinates::from(self.full);
        let debug = debug_text(self.report.as_ref());
        let mut text = match self.form {
            Form::Json => {
                let object = Object { response: coordinates, debug: &debug };
                // Integers and a text can always be written.
                serde_json::to_string(&object).unwrap_or_default()
            }
            Form::Text => format!("{coordinates}\n{debug}"),
        };
        text.push('\n');
        text
    }
}

/// The search in one line far below the 1 KB that the judge keeps:
/// `3120 playouts (811 reused), value 0.534, depth 9, 941 ms, d1-d7/g7 a7-c5/c3`.
pub fn debug_text(report: Option<&Report>) -> String {
    let Some(report) = report else {
        return String::from("no search");
    };
    let Report { playouts, reused, value, depth, .. } = report;
    let playouts = counted(*playouts, "playout", "playouts");
    let reused = if *reused > 0 { format!(" ({reused} reused)") } else { String::new() };
    let proven = match &report.ending {
        Some(ending) => format!(" {ending}"),
        None if report.proven => String::from(" proven"),
        None => String::new(),
    };
    let milliseconds = report.time.as_millis();
    let mut text = format!("{playouts}{reused}, value {value:.3}{proven}, depth {depth}, {milliseconds} ms");
    let mut separator = ",";
    for full in report.principal_variation.iter().take(SHOWN_PLIES) {
        // Writing to a string does not fail.
        let _ = write!(text, "{separator} {full}");
        separator = "";
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::{Position, Size};
    use crate::players::{EngineOptions, PlayerKind};
    use crate::search::Limits;

    fn report(plies: usize) -> Report {
        let start = Position::start(Size::square(8).unwrap()).unwrap();
        let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        let mut player = PlayerKind::Campya.build(&options, &start);
        let report = player.choose(&Limits::playouts(1)).unwrap().report.unwrap();
        let principal_variation = vec!["d1-d7/g7".parse().unwrap(); plies];
        let time = Duration::from_micros(941_999);
        Report { value: 0.534_21, principal_variation, playouts: 3120, reused: 811, depth: 9, time, ..report }
    }

    #[test]
    fn the_debug_line_is_short_whatever_the_search_found() {
        let mut long = report(2);
        assert_eq!(
            debug_text(Some(&long)),
            "3120 playouts (811 reused), value 0.534, depth 9, 941 ms, d1-d7/g7 d1-d7/g7"
        );
        long = Report { reused: 0, proven: true, value: 1.0, ..report(1) };
        assert_eq!(debug_text(Some(&long)), "3120 playouts, value 1.000 proven, depth 9, 941 ms, d1-d7/g7");
        long = Report { playouts: u64::MAX, time: Duration::MAX, depth: u32::MAX, ..report(92) };
        let text = debug_text(Some(&long));
        assert!(text.len() < 1000 && !text.contains('\n'), "{text}");
    }
}
