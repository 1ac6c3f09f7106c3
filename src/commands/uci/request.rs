//! Reads the UCI commands `setoption`, `position` and `go`.

use std::ops::RangeInclusive;
use std::time::Duration;

use amazons::{FullMove, Game, Position, Size};

use crate::messages::excerpt;
use crate::search::{EngineOptions, Limits, Parameters, Time};

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

/// The time of a search without a limit that this engine knows (only `depth`, `mate`, or the other
/// side's clock). The sender waits for an answer and will not send `stop`.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Characters of a received text that a message shows.
pub(super) const SHOWN: usize = 40;

pub(super) fn read_position(text: &str, startpos: Position) -> Result<Game, String> {
    let (begin, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let start = match (begin.trim(), begin.trim().strip_prefix("fen ")) {
        ("startpos", _) => startpos,
        (_, Some(fen)) => fen.parse().map_err(|error| format!("position fen: {error}"))?,
        (begin, None) => {
            return Err(format!("position {}: expected startpos or fen FEN", excerpt(begin, SHOWN)));
        }
    };
    let moves = moves.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<FullMove>, _>>();
    moves.and_then(|moves| Game::of(start, &moves)).map_err(|error| format!("position: {error}"))
}

#[derive(Clone, Debug)]
pub(super) struct Go {
    /// The limits of the search, whose stopwatch runs from this reading. No limit if only `stop` or
    /// `ponderhit` ends it.
    pub(super) limits: Limits,
    /// True if the opponent is to move: until `ponderhit` nothing ends the search but `stop`.
    pub(super) ponder: bool,
    pub(super) among: Vec<FullMove>,
    /// The words that have no effect, for people.
    pub(super) ignored: Vec<String>,
}

impl Go {
    /// Reads what stands after `go`; `first` says whether the first player is to move.
    pub(super) fn read(text: &str, first: bool) -> Result<Go, String> {
        let limits = Limits::default();
        let mut go = Go { limits, ponder: false, among: Vec::new(), ignored: Vec::new() };
        // A bare `go` is ended by the GUI alone.
        let mut infinite = text.trim().is_empty();
        let [own_time, own_increment] = if first { ["wtime", "winc"] } else { ["btime", "binc"] };
        let (mut remaining, mut increment, mut moves_to_go) = (None, Duration::ZERO, None);
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            if word == "searchmoves" {
                while let Some(full) = words.peek().and_then(|word| word.parse().ok()) {
                    words.next();
                    go.among.push(full);
                }
                if go.among.is_empty() {
                    return Err("go searchmoves: expected moves".to_owned());
                }
                continue;
            }
            let mut number = || -> Result<u64, String> {
                let value = words.next().unwrap_or_default();
                // A clock may have run below zero before the GUI noticed.
                let number = value.parse::<i64>().map(|number| number.max(0).cast_unsigned());
                number.map_err(|_| format!("go {word} '{}': expected a whole number", excerpt(value, SHOWN)))
            };
            match word {
                "infinite" => infinite = true,
                "ponder" => go.ponder = true,
                "movestogo" => moves_to_go = Some(number()?.max(1)),
                "movetime" => go.limits.time = Some(Time::PerMove(Duration::from_millis(number()?))),
                "nodes" => go.limits.playouts = Some(number()?.max(1)),
                word if word == own_time => remaining = Some(Duration::from_millis(number()?)),
                word if word == own_increment => increment = Duration::from_millis(number()?),
                "wtime" | "btime" | "winc" | "binc" => drop(number()?),
                "depth" | "mate" | "perft" => {
                    number()?;
                    go.ignored.push(word.to_owned());
                }
                other => go.ignored.push(excerpt(other, SHOWN)),
            }
        }
        let game = remaining.map(|remaining| match moves_to_go {
            None => Time::Game { remaining, increment },
            // An even share of the time until the clock is set again.
            Some(moves) => {
                let share = remaining / u32::try_from(moves).unwrap_or(u32::MAX);
                Time::PerMove((share + increment).min(remaining))
            }
        });
        let Limits { time, playouts, .. } = &mut go.limits;
        // Without `infinite` or `ponder` one limit at least is present: `is_infinite` tells them apart by it.
        if infinite || go.ponder {
            (*time, *playouts) = (None, None);
        } else {
            let usual = playouts.is_none().then_some(Time::PerMove(DEFAULT_TIME));
            *time = time.or(game).or(usual);
        }
        Ok(go)
    }

    /// True if only `stop` or `ponderhit` ends the search.
    pub(super) fn is_infinite(&self) -> bool {
        self.limits.time.is_none() && self.limits.playouts.is_none()
    }
}
