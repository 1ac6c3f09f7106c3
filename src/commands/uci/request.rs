//! Reads the UCI commands `position` and `go`.

use std::time::Duration;

use crate::game::{Fen, FullMove, Game, Position};
use crate::messages::excerpt;
use crate::search::{Limits, Time};

/// The time of a search without a limit that this engine knows (only `depth`, `mate`, or the other
/// side's clock). The sender waits for an answer and will not send `stop`.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Characters of a received text that a message shows.
pub(super) const SHOWN: usize = 40;

pub(super) fn read_position(text: &str, startpos: Position) -> Result<Game, String> {
    let (begin, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let start = match (begin.trim(), begin.trim().strip_prefix("fen ")) {
        ("startpos", _) => startpos,
        (_, Some(fen)) => fen.parse::<Fen>().map_err(|error| format!("position fen: {error}"))?.0,
        (begin, None) => {
            return Err(format!("position {}: expected startpos or fen FEN", excerpt(begin, SHOWN)));
        }
    };
    let moves = moves.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<FullMove>, _>>();
    moves.and_then(|moves| Game::of(start, &moves)).map_err(|error| format!("position: {error}"))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    /// Time, a move's own or a game's.
    pub(super) time: Option<Time>,
    pub(super) nodes: Option<u64>,
    /// True if only `stop` ends it.
    pub(super) infinite: bool,
    /// True if the opponent is to move: until `ponderhit` nothing ends the search but `stop`.
    pub(super) ponder: bool,
    pub(super) among: Vec<FullMove>,
    /// The words that have no effect, for people.
    pub(super) ignored: Vec<String>,
}

impl Go {
    /// Reads what stands after `go`; `first` says whether the first player is to move.
    pub(super) fn read(text: &str, first: bool) -> Result<Go, String> {
        let mut go = Go::default();
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
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "movestogo" => moves_to_go = Some(number()?.max(1)),
                "movetime" => go.time = Some(Time::PerMove(Duration::from_millis(number()?))),
                "nodes" => go.nodes = Some(number()?.max(1)),
                "wtime" | "btime" | "winc" | "binc" => {
                    let time = Duration::from_millis(number()?);
                    match &word[1..] {
                        _ if word.starts_with('w') != first => {}
                        "time" => remaining = Some(time),
                        _ => increment = time,
                    }
                }
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
        go.time = go.time.or(game);
        // A bare `go` is ended by the GUI alone.
        go.infinite |= text.trim().is_empty();
        if !go.infinite && go.time.is_none() && go.nodes.is_none() {
            go.time = Some(Time::PerMove(DEFAULT_TIME));
        }
        Ok(go)
    }

    /// The limits of a search that begins now.
    pub(super) fn limits(&self) -> Limits {
        let ends = !(self.infinite || self.ponder);
        let (time, playouts) = (self.time.filter(|_| ends), self.nodes.filter(|_| ends));
        Limits { time, playouts, ..Limits::default() }
    }
}
