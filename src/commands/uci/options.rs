//! The options of the UCI engine, and `setoption`.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::game::{Position, Size, Start};
use crate::players::EngineOptions;
use crate::search::Parameters;

/// Variants by name; the first is the default. A FEN may have any board, whatever the variant.
const VARIANTS: [(&str, usize); 3] = [("amazons", 10), ("amazons8", 8), ("amazons6", 6)];
const HASH: RangeInclusive<usize> = 1..=65536;
const LINES: RangeInclusive<usize> = 1..=20;
const THREADS: RangeInclusive<usize> = 1..=1024;

/// Everything that `setoption` sets.
#[derive(Clone, Debug)]
pub(super) struct UciOptions {
    pub(super) engine: EngineOptions,
    /// The side of the board of `startpos`.
    board: usize,
    pub(super) lines: usize,
    /// True if `bestmove` also names the answer to expect, for the GUI to ponder on.
    pub(super) ponder: bool,
}

impl UciOptions {
    pub(super) fn new(engine: EngineOptions) -> UciOptions {
        UciOptions { engine, board: VARIANTS[0].1, lines: 1, ponder: false }
    }

    pub(super) fn listing(&self) -> String {
        let mut text = String::new();
        for (name, value, range) in [
            ("Hash", self.engine.memory >> 20, HASH),
            ("Threads", self.engine.threads, THREADS),
            ("MultiPV", self.lines, LINES),
        ] {
            let (least, most) = range.into_inner();
            let _ = writeln!(text, "option name {name} type spin default {value} min {least} max {most}");
        }
        let _ = writeln!(text, "option name Ponder type check default {}", self.ponder);
        let _ = writeln!(text, "option name Clear Hash type button");
        let _ = write!(text, "option name UCI_Variant type combo default {}", VARIANTS[0].0);
        for (name, _) in VARIANTS {
            let _ = write!(text, " var {name}");
        }
        text.push('\n');
        let parameters = &self.engine.parameters;
        let parameters =
            Size::square(self.board).map_or_else(|_| parameters.clone(), |size| parameters.on(size));
        for row in Parameters::TABLE {
            let value = parameters.get(row.name).unwrap_or(row.default);
            // UCI knows whole numbers only; anything finer is a string.
            let _ = if row.integer {
                let (name, min, max) = (row.name, row.min, row.max);
                writeln!(text, "option name {name} type spin default {value} min {min} max {max}")
            } else {
                writeln!(text, "option name {} type string default {value}", row.name)
            };
        }
        let EngineOptions { reuse, endgame, margin, .. } = &self.engine;
        let _ = writeln!(text, "option name reuse type check default {reuse}");
        let _ = writeln!(text, "option name endgame type check default {endgame}");
        let margin = margin.as_millis();
        let _ = writeln!(text, "option name margin_ms type spin default {margin} min 0 max 10000");
        text
    }

    /// Sets what stands after `setoption`: `name NAME value VALUE`.
    pub(super) fn set(&mut self, text: &str) -> Result<(), String> {
        let form = || format!("setoption {text}: expected setoption name NAME value VALUE");
        let rest = text.trim().strip_prefix("name ").ok_or_else(form)?;
        if rest.trim().eq_ignore_ascii_case("clear hash") {
            // The session forgets its player after every option that is set.
            return Ok(());
        }
        let (name, value) = rest.split_once(" value ").ok_or_else(form)?;
        let (name, value) = (name.trim(), value.trim());
        let refused = |expected: String| format!("option {name} = '{value}': expected {expected}");
        let spin = |range: RangeInclusive<usize>, unit| {
            let number = value.parse().ok().filter(|number| range.contains(number));
            number.ok_or_else(|| refused(format!("{} to {}{unit}", range.start(), range.end())))
        };
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.engine.memory = spin(HASH, " (MiB)")? << 20;
            }
            "threads" => self.engine.threads = spin(THREADS, "")?,
            "multipv" => self.lines = spin(LINES, "")?,
            "ponder" => {
                self.ponder = value.parse().map_err(|_| refused("true or false".to_owned()))?;
            }
            "uci_variant" => {
                let variant = VARIANTS.iter().find(|(variant, _)| variant.eq_ignore_ascii_case(value));
                let names = || VARIANTS.map(|(variant, _)| variant).join(", ");
                self.board = variant.ok_or_else(|| refused(names()))?.1;
            }
            lower => {
                self.engine.set(lower, value).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    pub(super) fn start(&self) -> Option<Position> {
        Start::Formula.position(Size::square(self.board).ok()?).ok()
    }
}
