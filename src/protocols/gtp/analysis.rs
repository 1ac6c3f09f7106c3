//! The output lines of an analysis in GTP, in the formats of KataGo and Leela Zero.

use std::time::Duration;

use super::staged_game::{StagedGame, squares};
use crate::contest::Vertex;
use crate::search::{Candidate, Report};

#[derive(Clone, Copy, Debug)]
pub(super) struct AnalysisOptions {
    /// Formats a winrate or a prior: as a number from 0 to 1 in KataGo's format, and as a whole
    /// number from 0 to 10,000 in Leela Zero's format.
    probability: fn(f64) -> String,
    /// The time between two lines of an analysis. [`Duration::MAX`] writes only the last line.
    pub(super) interval: Duration,
    pub(super) max_moves: usize,
}

impl AnalysisOptions {
    /// Parses an analysis command and its arguments: a colour, an interval in hundredths of a
    /// second, and properties with values. Unknown properties have no effect.
    pub(super) fn read(command: &str, words: &[&str]) -> Result<AnalysisOptions, String> {
        let probability: fn(f64) -> String = match command.starts_with("lz-") {
            true => |number| format!("{:.0}", number * 10_000.0),
            false => |number| format!("{number:.6}"),
        };
        let mut analysis = AnalysisOptions { probability, interval: Duration::MAX, max_moves: usize::MAX };
        let centiseconds = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
            // An interval of 0 would write a line after every playout.
            let interval =
                |number: f64| Duration::from_secs_f64(number / 100.0).max(Duration::from_millis(10));
            number.map(interval).ok_or_else(|| format!("interval '{text}': expected hundredths of a second"))
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().copied().unwrap_or_default();
            match word {
                "interval" => analysis.interval = centiseconds(value())?,
                "maxmoves" => {
                    let (text, expected) = (value(), "expected a number above 0");
                    let number = text.parse().ok().filter(|&number: &usize| number > 0);
                    analysis.max_moves = number.ok_or_else(|| format!("maxmoves '{text}': {expected}"))?;
                }
                word if word.parse::<f64>().is_ok() => analysis.interval = centiseconds(word)?,
                _ => {}
            }
        }
        Ok(analysis)
    }

    /// Formats the results of a search as one line: the squares that can be played next, sorted by
    /// visits. The visits and priors of all full moves with the same next square are added up.
    pub(super) fn info_line(self, report: &Report, game: &StagedGame) -> String {
        // One entry for each next square, with the value and the principal variation of the most
        // visited full move with this square.
        let mut moves: Vec<Candidate> = Vec::new();
        for it in report.candidates.iter().filter(|it| game.is_continued_by(it.played)) {
            let square = game.next_square_of(it.played);
            match moves.iter_mut().find(|known| game.next_square_of(known.played) == square) {
                Some(known) => {
                    known.visits += it.visits;
                    known.prior += it.prior;
                }
                None => moves.push(it.clone()),
            }
        }
        moves.sort_by_key(|it| std::cmp::Reverse(it.visits));
        let size = game.position().size();
        // The lead that the solver has proven is negative if the side to move loses.
        let margin = report.ending.and_then(|ending| Some((ending.winner, ending.margin?)));
        let lead = margin.map_or_else(String::new, |(winner, margin)| {
            let sign = if winner == game.position().to_move() { "" } else { "-" };
            format!(" scoreLead {sign}{margin}")
        });
        let text = |(order, it): (usize, Candidate)| {
            let squares =
                it.line.iter().flat_map(|&played| squares(played)).skip(game.chosen_squares().len());
            let line: Vec<String> = squares.map(|square| Vertex { square, size }.to_string()).collect();
            format!(
                "info move {} visits {} winrate {}{lead} prior {} order {order} pv {}",
                Vertex { square: game.next_square_of(it.played), size },
                it.visits,
                (self.probability)(it.value),
                (self.probability)(it.prior),
                line.join(" ")
            )
        };
        moves.into_iter().take(self.max_moves).enumerate().map(text).collect::<Vec<_>>().join(" ")
    }
}
