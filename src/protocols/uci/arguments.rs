//! Parses the arguments of the UCI commands `setoption`, `position` and `go`.

use std::collections::BTreeMap;
use std::iter;
use std::ops::RangeInclusive;
use std::time::Duration;

use amazons::{Move, Position, Side, Size};

use crate::games::Game;
use crate::messages::excerpt;
use crate::protocols::MAX_QUOTED;
use crate::search::{EngineOptions, Limits, ParameterKind, Parameters, Time};
use crate::threads::{most_threads, threads_warning};

/// The variants and their board sizes. The first is the default. A FEN may have any board size.
const VARIANTS: [(&str, usize); 3] = [("amazons", 10), ("amazons8", 8), ("amazons6", 6)];
const HASH_RANGE: RangeInclusive<usize> = 1..=65536;
const MULTI_PV_RANGE: RangeInclusive<usize> = 1..=20;

#[derive(Clone, Debug)]
pub(super) struct UciOptions {
    pub(super) engine: EngineOptions,
    /// The position that `startpos` means in the current variant.
    pub(super) start: Position,
    pub(super) lines: usize,
    /// True if `bestmove` also names the expected reply.
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
        let threads_range = 1..=most_threads();
        for (name, value, range) in [
            ("Hash", memory >> 20, HASH_RANGE),
            ("Threads", *threads, threads_range),
            ("MultiPV", self.lines, MULTI_PV_RANGE),
        ] {
            text += &spin(name, value as f64, *range.start() as f64, *range.end() as f64);
        }
        let variants = VARIANTS.map(|(name, _)| format!(" var {name}")).concat();
        text += &format!(
            "option name Ponder type check default {}\noption name Clear Hash type button\n\
             option name UCI_Variant type combo default {}{variants}\n",
            self.ponder, VARIANTS[0].0
        );
        let parameters = self.engine.parameters.on(self.start.size());
        for (row, (name, value)) in Parameters::TABLE.iter().zip(parameters.values()) {
            // UCI has whole numbers only, so a real number is an option of type string.
            text += &match row.kind {
                ParameterKind::Switch => format!("option name {name} type check default {}\n", value == 1.0),
                ParameterKind::Whole => spin(name, value, row.min, row.max),
                ParameterKind::Real => format!("option name {name} type string default {value}\n"),
            };
        }
        text
    }

    /// Sets an option from the arguments of `setoption`. Returns a warning for the user, if there
    /// is one.
    pub(super) fn set(&mut self, text: &str) -> Result<Option<String>, String> {
        let form =
            || format!("setoption {}: expected setoption name NAME value VALUE", excerpt(text, MAX_QUOTED));
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let ["name", rest @ ..] = &words[..] else { return Err(form()) };
        if rest.join(" ").eq_ignore_ascii_case("clear hash") {
            // `Clear Hash` needs no code: each `setoption` makes the session drop its tree.
            return Ok(None);
        }
        let (name, value) = split_at_word(rest, "value").ok_or_else(form)?;
        let (name, value) = (name.join(" "), value.join(" "));
        let refused = |expected: String| format!("option {name} = '{value}': expected {expected}");
        let spin = |range: RangeInclusive<usize>, unit| {
            let number = value.parse().ok().filter(|number| range.contains(number));
            number.ok_or_else(|| refused(format!("{} to {}{unit}", range.start(), range.end())))
        };
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.engine.memory = spin(HASH_RANGE, " (MiB)")? << 20,
            "threads" => {
                self.engine.threads = spin(1..=most_threads(), "")?;
                return Ok(threads_warning(self.engine.threads));
            }
            "multipv" => self.lines = spin(MULTI_PV_RANGE, "")?,
            "ponder" => self.ponder = value.parse().map_err(|_| refused("true or false".to_owned()))?,
            "uci_variant" => {
                let variant = VARIANTS.iter().find(|(variant, _)| variant.eq_ignore_ascii_case(&value));
                let names = || VARIANTS.map(|(variant, _)| variant).join(", ");
                self.start = start(variant.ok_or_else(|| refused(names()))?.1);
            }
            lower => self.engine.parameters.set(lower, &value).map_err(|error| error.to_string())?,
        }
        Ok(None)
    }
}

pub(super) fn start(board: usize) -> Position {
    Size::square(board).and_then(Position::start).expect("every variant has a start position")
}

/// The time of a search whose `go` has arguments but no limit that this engine supports, as in
/// `go depth 5`. The GUI then sends no `stop`, so the search must end after this time.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

fn split_at_word<'a, 'b>(words: &'a [&'b str], word: &str) -> Option<(&'a [&'b str], &'a [&'b str])> {
    let place = words.iter().position(|each| *each == word)?;
    Some((&words[..place], &words[place + 1..]))
}

pub(super) fn read_position(text: &str, startpos: Position) -> Result<Game, String> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (begin, moves) = split_at_word(&words, "moves").unwrap_or((&words, &[]));
    let start = match begin {
        ["startpos"] => startpos,
        ["fen", fen @ ..] => fen.join(" ").parse().map_err(|error| format!("position fen: {error}"))?,
        _ => {
            let got = excerpt(&begin.join(" "), MAX_QUOTED);
            return Err(format!("position {got}: expected startpos or fen FEN"));
        }
    };
    let moves = moves.iter().map(|word| word.parse()).collect::<Result<Vec<Move>, _>>();
    let game = Game::of(start, &moves.map_err(|error| format!("position: {error}"))?);
    game.map_err(|error| format!("position: {error}"))
}

/// The keywords of `go`. A keyword is never the value of another keyword.
const GO_WORDS: &str = "searchmoves ponder wtime btime winc binc movestogo depth nodes mate perft movetime \
                        infinite";

#[derive(Clone, Debug)]
pub(super) struct Go {
    /// The limits of the search, whose stopwatch starts when `go` is parsed. There is no limit if
    /// only `stop` or `ponderhit` ends the search.
    pub(super) limits: Limits,
    pub(super) ponder: bool,
    /// The legal moves of `searchmoves`; empty if all moves are allowed.
    pub(super) root_moves: Vec<Move>,
    pub(super) notes: Vec<String>,
}

impl Go {
    /// Parses the arguments of `go` for this position. A wrong argument adds a note but is no
    /// error, because the GUI waits for a move in any case.
    pub(super) fn read(text: &str, position: &Position) -> Go {
        let limits = Limits::default().started();
        let mut go = Go { limits, ponder: false, root_moves: Vec::new(), notes: Vec::new() };
        // A `go` without arguments runs until the GUI sends `stop`.
        let mut infinite = text.trim().is_empty();
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut values =
                iter::from_fn(|| words.next_if(|next| GO_WORDS.split(' ').all(|word| word != *next)));
            match word {
                "infinite" => infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => go.read_root_moves(values, position),
                word if GO_WORDS.split(' ').any(|known| known == word) => {
                    let value = values.next().unwrap_or_default();
                    match value.parse::<i64>() {
                        // A GUI may send a negative time for a clock that has run out.
                        Ok(number) => drop(numbers.insert(word, number.max(0).cast_unsigned())),
                        Err(_) => {
                            let got = excerpt(value, MAX_QUOTED);
                            go.notes.push(format!("go {word} '{got}': expected a whole number"));
                        }
                    }
                    if let "depth" | "mate" | "perft" = word {
                        go.notes.push(format!("go: {word} ignored"));
                    }
                }
                other => go.notes.push(format!("go: {} ignored", excerpt(other, MAX_QUOTED))),
            }
        }
        // A search has no limits only after `infinite`, after `ponder`, or after `go` without words.
        // `is_infinite` relies on this.
        if !infinite && !go.ponder {
            let time = |word| numbers.get(word).copied().map(Duration::from_millis);
            let first = position.to_move() == Side::First;
            let [own_time, own_increment] = if first { ["wtime", "winc"] } else { ["btime", "binc"] };
            let increment = time(own_increment).unwrap_or_default();
            let game = time(own_time).map(|left| game_time(left, increment, numbers.get("movestogo")));
            go.limits.playouts = numbers.get("nodes").map(|&nodes| nodes.max(1));
            let usual = go.limits.playouts.is_none().then_some(Time::PerMove(DEFAULT_TIME));
            go.limits.time = time("movetime").map(Time::PerMove).or(game).or(usual);
        }
        go
    }

    fn read_root_moves<'a>(&mut self, words: impl Iterator<Item = &'a str>, position: &Position) {
        for text in words {
            match text.parse().map(|full| position.play(full).map(|_| full)) {
                Ok(Ok(full)) => self.root_moves.push(full),
                Ok(Err(error)) => self.notes.push(format!("go searchmoves {text}: {error}")),
                Err(error) => self.notes.push(format!("go searchmoves: {error}")),
            }
        }
        if self.root_moves.is_empty() {
            self.notes.push("go searchmoves: expected legal moves; all moves are searched".to_owned());
        }
    }

    /// True if only `stop` or `ponderhit` ends the search.
    pub(super) fn is_infinite(&self) -> bool {
        self.limits.time.is_none() && self.limits.playouts.is_none()
    }
}

fn game_time(remaining: Duration, increment: Duration, moves_to_go: Option<&u64>) -> Time {
    match moves_to_go {
        None => Time::Game { remaining, increment },
        Some(&moves) => {
            let share = remaining / u32::try_from(moves.max(1)).unwrap_or(u32::MAX);
            Time::PerMove((share + increment).min(remaining))
        }
    }
}
