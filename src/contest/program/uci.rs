//! The protocol of UCI engines that play Amazons as Fairy-Stockfish's variant `amazons`.

use std::fmt::Write as _;

use amazons::{Move, Position, Side, Size, UciMove};

use super::engine::{EngineProgram, EngineProtocol, malformed, word_after};
use super::exchange::LineKind;
use crate::contest::statistics::score_of;
use crate::contest::{Budget, Entrant, PlayerFault};
use crate::games::{Game, TurnFacts};
use crate::messages::excerpt;

pub(in crate::contest) struct Uci;

impl EngineProtocol for Uci {
    const SENDS_WHOLE_GAME: bool = true;

    /// Sets the user's options and waits until the engine is ready. Selects a variant of Amazons
    /// for the game's board unless the user has set `UCI_Variant`.
    fn get_ready(
        &mut self,
        program: &mut EngineProgram<'_>,
        game: &Game,
    ) -> Result<Vec<String>, PlayerFault> {
        let Entrant { options, .. } = program.entrant;
        let mut listing = query(program, "uci\n", "uciok")?;
        let name = listing.lines().find_map(|line| line.strip_prefix("id name "));
        program.name = name.unwrap_or_default().trim().to_owned();
        let set = |(name, value): &(String, String)| format!("setoption name {name} value {value}\n");
        let mut setup: String = options.iter().map(set).collect();
        let chosen = options.iter().any(|(name, _)| name.eq_ignore_ascii_case(VARIANT));
        if offers(&listing, VARIANT) && !chosen {
            if !setup.is_empty() {
                // The engine is asked for its options again, because an option such as
                // Fairy-Stockfish's VariantPath may have added variants.
                listing.insert_str(0, &query(program, &format!("{setup}uci\n"), "uciok")?);
                setup.clear();
            }
            choose_variant(program, &variants(&listing), game.start().size())?;
        }
        setup.push_str("ucinewgame\nisready\n");
        query(program, &setup, "readyok")?;
        let names = options.iter().map(|(name, _)| name);
        Ok(names.filter(|name| !offers(&listing, name)).cloned().collect())
    }

    fn request(&mut self, game: &Game, budget: Budget) -> String {
        format!("{}\n{}\n", position_command(game), go_command(budget, game.position().to_move()))
    }

    fn classify_line(&mut self, line: &[u8], facts: &mut TurnFacts) -> LineKind {
        if word(line) == b"bestmove" {
            return LineKind::Last;
        }
        read_info(&String::from_utf8_lossy(line), facts);
        LineKind::Dropped
    }

    fn read(&mut self, answer: &str, _: &Game) -> Result<Move, PlayerFault> {
        best_move(answer)
    }
}

/// Sends a request, and reads until a line begins with `last`. Returns this line and all lines
/// before it that begin with `id`, `option` or `info`.
fn query(program: &mut EngineProgram<'_>, request: &str, last: &str) -> Result<String, PlayerFault> {
    program.query(request, last, |line| match word(line) {
        word if word == last.as_bytes() => LineKind::Last,
        b"id" | b"option" | b"info" => LineKind::Inner,
        _ => LineKind::Dropped,
    })
}

/// Selects the engine's variant of Amazons for a board of this size. The size of a variant's board
/// is taken from the engine's announcement or, if there is none, from the variant's name.
fn choose_variant(
    program: &mut EngineProgram<'_>,
    variants: &[String],
    size: Size,
) -> Result<(), PlayerFault> {
    let board = (usize::from(size.width()), usize::from(size.height()));
    let amazons = |name: &&String| name.to_ascii_lowercase().contains("amazons");
    let mut candidates: Vec<&String> = variants.iter().filter(amazons).collect();
    candidates.sort_by_key(|name| board_of_name(name) != Some(board));
    for name in candidates {
        let setting = format!("setoption name {VARIANT} value {name}\nisready\n");
        let reply = query(program, &setting, "readyok")?;
        if announced_board(&reply).or_else(|| board_of_name(name)) == Some(board) {
            return Ok(());
        }
    }
    Err(malformed(format!(
        "the engine's variants are {}: expected Amazons on {size}, or a variant set with option.{VARIANT}",
        variants.join(", ")
    )))
}

const VARIANT: &str = "UCI_Variant";

/// The options in an engine's reply to `uci`, each with its name and the rest of its line.
fn listed_options(listing: &str) -> impl Iterator<Item = (&str, &str)> {
    let options = listing.lines().filter_map(|line| line.trim().strip_prefix("option name "));
    options.map(|option| option.split_once(" type ").unwrap_or((option, "")))
}

fn offers(listing: &str, name: &str) -> bool {
    listed_options(listing).any(|(offered, _)| offered.trim().eq_ignore_ascii_case(name))
}

/// The names of the variants in the first `UCI_Variant` option that an engine lists.
fn variants(listing: &str) -> Vec<String> {
    let option = listed_options(listing).find(|(name, _)| name.trim().eq_ignore_ascii_case(VARIANT));
    option.map_or_else(Vec::new, |(_, rest)| {
        rest.split(" var ").skip(1).map(|name| name.trim().to_owned()).collect()
    })
}

/// The width and height of a variant's board, parsed from its name: `amazons` is 10x10, `amazons8`
/// is 8x8, and `amazons8x6` is 8x6.
fn board_of_name(name: &str) -> Option<(usize, usize)> {
    let digits = name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let numbers: Vec<usize> = digits.map(|digits| digits.parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [] => Some((10, 10)),
        [side] => Some((side, side)),
        [width, height] => Some((width, height)),
        _ => None,
    }
}

/// The width and height in the line `info string variant NAME files F ranks R ...`, which
/// Fairy-Stockfish prints after a variant is set.
fn announced_board(reply: &str) -> Option<(usize, usize)> {
    let line = reply.lines().find(|line| line.trim().starts_with("info string variant "))?;
    let number = |label: &str| word_after(line, label)?.parse().ok();
    Some((number("files")?, number("ranks")?))
}

fn word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

fn position_command(game: &Game) -> String {
    let mut text = if *game.start() == Position::default() {
        "position startpos".to_owned()
    } else {
        format!("position fen {}", game.start())
    };
    if !game.plies().is_empty() {
        text.push_str(" moves");
        text.extend(game.moves().into_iter().map(|played| format!(" {}", UciMove(played))));
    }
    text
}

fn go_command(budget: Budget, mover: Side) -> String {
    let mut text = "go".to_owned();
    if budget.clocks[mover.index()].is_some() {
        for (name, side) in [("w", Side::First), ("b", Side::Second)] {
            let Some(clock) = budget.clocks[side.index()] else { continue };
            let left = budget.time.filter(|_| side == mover).unwrap_or(clock.time_left());
            // At least 1 ms is sent, because some engines take a time of 0 to mean no clock.
            let (left, increment) = (left.as_millis().max(1), clock.increment.as_millis());
            let _ = write!(text, " {name}time {left} {name}inc {increment}");
        }
    } else if let Some(time) = budget.time {
        let _ = write!(text, " movetime {}", time.as_millis());
    }
    if let Some(playouts) = budget.playouts {
        let _ = write!(text, " nodes {playouts}");
    }
    text
}

fn best_move(reply: &str) -> Result<Move, PlayerFault> {
    let line = reply.trim();
    let word = line.split_ascii_whitespace().nth(1).unwrap_or_default();
    word.parse().map_err(|error| malformed(format!("'{}': {error}", excerpt(line, 80))))
}

/// Stores the score of an `info` line as a probability of winning, and its nodes as playouts. With
/// MultiPV, only the lines about the best move count.
fn read_info(line: &str, facts: &mut TurnFacts) {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_other_move = words.windows(2).any(|pair| pair[0] == "multipv" && pair[1] != "1");
    if words.first() != Some(&"info") || words.get(1) == Some(&"string") || is_other_move {
        return;
    }
    for place in 0..words.len() {
        match words[place..] {
            ["score", "cp", number, ..] => {
                let score = number.parse().ok().filter(|score: &f64| score.is_finite());
                facts.value = score.map(score_of).or(facts.value);
            }
            ["score", "mate", number, ..] => {
                let won = number.parse().ok().map(|plies: i64| f64::from(u8::from(plies > 0)));
                facts.value = won.or(facts.value);
            }
            ["nodes", number, ..] => facts.playouts = number.parse().ok().or(facts.playouts),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::games::EndKind;

    fn game(fen: &str, moves: &[&str]) -> Game {
        let moves: Vec<Move> = moves.iter().map(|text| text.parse().unwrap()).collect();
        Game::of(fen.parse().unwrap(), &moves).unwrap()
    }

    #[test]
    fn positions_are_written_as_fairy_stockfish_reads_them() {
        let start = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1";
        assert_eq!(position_command(&game(start, &[])), "position startpos");
        assert_eq!(position_command(&game(start, &["d1-d7/g7"])), "position startpos moves d1d7,d7g7");
        let small = game("q2/3/2Q w - - 0 1", &["c1-b1/c1"]);
        assert_eq!(position_command(&small), "position fen q2/3/2Q w - - 0 1 moves c1b1,b1c1");
        // The first player has a limit for this move, and its opponent has a game clock.
        let (time, clock) = (Some(Duration::from_millis(250)), "5+0.5".parse().unwrap());
        let budget = Budget { time, clocks: [None, Some(clock)], playouts: Some(800) };
        assert_eq!(go_command(budget, Side::First), "go movetime 250 nodes 800");
        // An engine that was restarted in this turn may have less time left than the increment.
        assert_eq!(go_command(budget, Side::Second), "go btime 250 binc 500 nodes 800");
        let both = Budget { clocks: [Some(clock); 2], ..budget };
        assert_eq!(go_command(both, Side::First), "go wtime 250 winc 500 btime 5500 binc 500 nodes 800");
    }

    #[test]
    fn the_board_of_a_variant_is_announced_or_in_its_name() {
        let listing = "option name Hash type spin default 16 min 1 max 9\n\
                       option name UCI_Variant type combo default chess var 3check-crazyhouse var amazons var amazons8\n";
        assert!(offers(listing, "hash") && offers(listing, "UCI_Variant") && !offers(listing, "Variant"));
        assert_eq!(variants(listing), ["3check-crazyhouse", "amazons", "amazons8"]);
        for (name, board) in [
            ("amazons", Some((10, 10))),
            ("amazons8", Some((8, 8))),
            ("8x6-amazons", Some((8, 6))),
            ("amazons-8x6-2", None),
        ] {
            assert_eq!(board_of_name(name), board, "{name}");
        }
        let reply =
            "info string variant amazons files 10 ranks 8 pocket 0 template fairy startpos 3q\nreadyok\n";
        assert_eq!(announced_board(reply), Some((10, 8)));
        assert_eq!(announced_board("readyok\n"), None);
    }

    #[test]
    fn replies_are_read_as_fairy_stockfish_writes_them() {
        let reply = "info depth 1 seldepth 1 multipv 1 score cp 0 nodes 2176 nps 167384 tbhits 0 time 13 pv d1a1,a1b1\n\
                     info depth 2 score cp 400 nodes 6529 nps 233178 time 28 pv d1a1,a1b1 a7f2,f2e1\n\
                     info depth 2 multipv 2 score cp -400 nodes 7000 pv a4a5,a5a6\n\
                     info score cp nan\n\
                     info string score cp 7 nodes 1 of no interest\n\
                     info depth 3 currmove d1d7,d7g7 currmovenumber 1\n";
        let facts = |reply: &str| {
            let mut facts = TurnFacts::default();
            reply.lines().for_each(|line| read_info(line, &mut facts));
            facts
        };
        let TurnFacts { value, playouts, .. } = facts(reply);
        assert!((value.unwrap() - 10.0 / 11.0).abs() < 1e-9);
        assert_eq!(playouts, Some(6529));
        let TurnFacts { value, playouts, .. } = facts("info depth 3 score mate -2 nodes 5\n");
        assert_eq!((value, playouts), (Some(0.0), Some(5)));
        assert_eq!(best_move("bestmove g1f1,f1g1 ponder a7a5,a5d2\r\n").unwrap().to_string(), "g1-f1/g1");
        for bad in ["bestmove (none)\n", "bestmove\n", "bestmove d1d7\n", ""] {
            assert_eq!(best_move(bad).unwrap_err().reason, EndKind::Malformed, "{bad}");
        }
    }
}
