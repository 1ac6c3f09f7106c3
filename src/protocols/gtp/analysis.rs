//! The lines of an analysis in GTP, as KataGo and Leela Zero write them.

use std::time::Duration;

use super::staged_game::StagedGame;
use crate::contest::Vertex;
use crate::search::Report;
use amazons::{Move, Square};

/// The dialect of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Winrate and prior are numbers from 0 to 1.
    Kata,
    /// Winrate and prior are whole numbers from 0 to 10,000.
    LeelaZero,
}

/// What a command asks an analysis to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    pub(super) dialect: Dialect,
    /// Time between two lines; [`Duration::MAX`] for none on the way.
    pub(super) every: Duration,
    /// The largest number of moves in a line.
    pub(super) most: usize,
}

impl Analysis {
    /// Reads a command of analysis, whose name tells the dialect, and what stands after it: a colour,
    /// an interval in hundredths of a second, and properties with their values. Those that this engine
    /// does not know have no effect.
    pub(super) fn read(command: &str, words: &[&str]) -> Result<Analysis, String> {
        let dialect = if command.starts_with("lz-") { Dialect::LeelaZero } else { Dialect::Kata };
        let mut analysis = Analysis { dialect, every: Duration::MAX, most: usize::MAX };
        let centiseconds = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
            // Every playout is too often.
            let every = |number: f64| Duration::from_secs_f64(number / 100.0).max(Duration::from_millis(10));
            number.map(every).ok_or_else(|| format!("interval '{text}': expected hundredths of a second"))
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word.parse::<f64>().is_ok() {
                analysis.every = centiseconds(word)?;
            }
            match word {
                "interval" => analysis.every = centiseconds(words.next().copied().unwrap_or_default())?,
                "maxmoves" => {
                    let text = words.next().copied().unwrap_or_default();
                    let most = text.parse().ok().filter(|&most: &usize| most > 0);
                    analysis.most =
                        most.ok_or_else(|| format!("maxmoves '{text}': expected a number above 0"))?;
                }
                _ => {}
            }
        }
        Ok(analysis)
    }

    /// The moves of the next stage, most visited first, in one line. The visits of full moves with the
    /// same square are added up.
    pub(super) fn line(self, report: &Report, game: &StagedGame) -> String {
        struct StageMove<'a> {
            square: Square,
            visits: u64,
            prior: f64,
            /// Of the most visited full move.
            value: f64,
            line: &'a [Move],
        }
        let mut moves: Vec<StageMove<'_>> = Vec::new();
        for it in report.candidates.iter().filter(|it| game.goes_on_with(it.played)) {
            let square = game.square_of(it.played);
            match moves.iter_mut().find(|known| known.square == square) {
                Some(known) => {
                    known.visits += it.visits;
                    known.prior += it.prior;
                }
                None => moves.push(StageMove {
                    square,
                    visits: it.visits,
                    prior: it.prior,
                    value: it.value,
                    line: &it.line,
                }),
            }
        }
        moves.sort_by_key(|it| std::cmp::Reverse(it.visits));
        let size = game.position().size();
        let share = |number: f64| match self.dialect {
            Dialect::Kata => format!("{number:.6}"),
            Dialect::LeelaZero => format!("{:.0}", number * 10_000.0),
        };
        let text = |(order, it): (usize, StageMove<'_>)| {
            let squares = it.line.iter().flat_map(|played| [played.from, played.to, played.arrow]);
            let line: Vec<String> =
                squares.skip(game.begun().len()).map(|square| Vertex { square, size }.to_string()).collect();
            // The margin is that of the proven end, for the side to move.
            let margin = report.ending.and_then(|ending| Some((ending.winner, ending.margin?)));
            let lead = margin.map_or_else(String::new, |(winner, margin)| {
                let sign = if winner == game.position().to_move() { "" } else { "-" };
                format!(" scoreLead {sign}{margin}")
            });
            format!(
                "info move {} visits {} winrate {}{lead} prior {} order {order} pv {}",
                Vertex { square: it.square, size },
                it.visits,
                share(it.value),
                share(it.prior),
                line.join(" ")
            )
        };
        moves.into_iter().take(self.most).enumerate().map(text).collect::<Vec<_>>().join(" ")
    }
}
