//! The options of the UCI engine, and `setoption`.

use std::ops::RangeInclusive;

use crate::game::{Position, Size};
use crate::players::EngineOptions;
use crate::search::Parameters;

/// Variants by name; the first is the default. A FEN may have any board, whatever the variant.
const VARIANTS: [(&str, usize); 3] = [("amazons", 10), ("amazons8", 8), ("amazons6", 6)];
const HASH: RangeInclusive<usize> = 1..=65536;
const LINES: RangeInclusive<usize> = 1..=20;
const THREADS: RangeInclusive<usize> = 1..=1024;

#[derive(Clone, Debug)]
pub(super) struct UciOptions {
    pub(super) engine: EngineOptions,
    /// The position of `startpos`, which the variant decides.
    pub(super) start: Position,
    pub(super) lines: usize,
    /// True if `bestmove` also names the answer to expect, for the GUI to ponder on.
    pub(super) ponder: bool,
}

impl UciOptions {
    pub(super) fn new(engine: EngineOptions) -> UciOptions {
        UciOptions { engine, start: start(VARIANTS[0].1), lines: 1, ponder: false }
    }

    pub(super) fn listing(&self) -> String {
        let EngineOptions { memory, threads, .. } = &self.engine;
        let spin = |name: &str, value: f64, min: f64, max: f64| {
            format!("option name {name} type spin default {value} min {min} max {max}\n")
        };
        let mut text = String::new();
        for (name, value, range) in
            [("Hash", memory >> 20, HASH), ("Threads", *threads, THREADS), ("MultiPV", self.lines, LINES)]
        {
            text += &spin(name, value as f64, *range.start() as f64, *range.end() as f64);
        }
        let variants = VARIANTS.map(|(name, _)| format!(" var {name}")).concat();
        text += &format!(
            "option name Ponder type check default {}\noption name Clear Hash type button\n\
             option name UCI_Variant type combo default {}{variants}\n",
            self.ponder, VARIANTS[0].0
        );
        let parameters = self.engine.parameters.on(self.start.size());
        for row in Parameters::TABLE {
            let value = parameters.get(row.name).unwrap_or(row.default);
            // UCI knows whole numbers only; anything finer is a string.
            text += &match row.integer {
                true if row.max == 1.0 => {
                    format!("option name {} type check default {}\n", row.name, value == 1.0)
                }
                true => spin(row.name, value, row.min, row.max),
                false => format!("option name {} type string default {value}\n", row.name),
            };
        }
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
            "hash" => self.engine.memory = spin(HASH, " (MiB)")? << 20,
            "threads" => self.engine.threads = spin(THREADS, "")?,
            "multipv" => self.lines = spin(LINES, "")?,
            "ponder" => self.ponder = value.parse().map_err(|_| refused("true or false".to_owned()))?,
            "uci_variant" => {
                let variant = VARIANTS.iter().find(|(variant, _)| variant.eq_ignore_ascii_case(value));
                let names = || VARIANTS.map(|(variant, _)| variant).join(", ");
                self.start = start(variant.ok_or_else(|| refused(names()))?.1);
            }
            lower => self.engine.parameters.set(lower, value).map_err(|error| error.to_string())?,
        }
        Ok(())
    }
}

pub(super) fn start(board: usize) -> Position {
    Size::square(board).and_then(Position::start).expect("every variant has a start position")
}
