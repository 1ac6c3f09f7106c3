//! One match: requests in, moves out, as the judge reads them.

use crate::InputError;
use amazons::{Move, Position};
use serde::Serialize;

use super::history::History;
use super::request::{Form, Request, RequestBody};
use super::settings::TurnLimits;
use crate::Coordinates;
use crate::messages::counted;
use crate::players::{Book, Choice, Player, greedy_move};
use crate::search::{Limits, Report, Stopwatch};

/// The line that keeps a process alive until the next turn.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Plies of the principal variation that the debug line shows.
const SHOWN_PLIES: usize = 6;

/// A match as a bot sees it: what has been played, and the player that it asks.
///
/// The player keeps its tree while a request, a full history or a single ply, continues the plies
/// it knows. Otherwise it starts from the new position. It learns its own move together with the
/// opponent's reply, because work after an answer counts against the next turn.
pub struct Conversation {
    player: Box<dyn Player>,
    book: Book,
    limits: TurnLimits,
    /// The match before its first ply.
    start: History,
    history: History,
    /// The plies and the position that the player knows.
    told: Option<(usize, Position)>,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct TurnAnswer {
    /// The turn of the match, counted from 1.
    pub turn: usize,
    /// True if it is the first move of the match: then the request did not tell the board.
    pub opens: bool,
    /// The form that the request had.
    pub form: Form,
    /// The move.
    pub chosen: Move,
    /// The report of the search, from players that search.
    pub report: Option<Report>,
}

impl TurnAnswer {
    /// The output of a turn, line breaks included.
    pub(super) fn text(&self) -> String {
        /// The object of the JSON form. The judge wants plain integers and the order is free.
        #[derive(Serialize)]
        struct Object {
            response: Coordinates,
            debug: String,
        }
        let (response, debug) = (Coordinates::from(self.chosen), self.debug());
        match self.form {
            // Integers and a text can always be written.
            Form::Json => serde_json::to_string(&Object { response, debug }).unwrap_or_default() + "\n",
            Form::Text => format!("{response}\n{debug}\n"),
        }
    }

    /// The search in one line far below the 1 KB that the judge keeps:
    /// `3120 playouts (811 reused), value 0.534, depth 9, 941 ms, d1-d7/g7 a7-c5/c3`.
    fn debug(&self) -> String {
        let Some(report) = &self.report else {
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
        let time = report.time.as_millis();
        let shown = report.principal_variation.iter().take(SHOWN_PLIES);
        let variation: String = shown.map(|chosen| format!(" {chosen}")).collect();
        let separator = if variation.is_empty() { "" } else { "," };
        format!(
            "{playouts}{reused}, value {value:.3}{proven}, depth {depth}, {time} ms{separator}{variation}"
        )
    }
}

impl Conversation {
    /// A match that has not begun, to be played by `player` where the book has no move.
    pub fn new(player: Box<dyn Player>, book: Book, start: History, limits: TurnLimits) -> Conversation {
        Conversation { player, book, limits, history: start.clone(), start, told: None }
    }

    /// Answers a request and takes the answer as played.
    ///
    /// # Errors
    /// If the request is not legal or the game is over.
    pub fn answer(&mut self, request: &Request, stopwatch: Stopwatch) -> Result<TurnAnswer, InputError> {
        match &request.content {
            RequestBody::History(entries) => self.history = self.start.read(entries)?,
            RequestBody::Turn(Coordinates::NONE) if self.history.plies().is_empty() => {}
            RequestBody::Turn(ply) => self.history.push(*ply)?,
        }
        let known = self.history.plies().len();
        let (turn, opens) = (known / 2 + 1, known == 0);
        let time = self.limits.of_turn(turn, request.time_limit.map(|limit| limit.time));
        let limits =
            Limits { time, playouts: self.limits.playouts, stopwatch: Some(stopwatch), ..Limits::default() };
        let (ply, side) = (known + 1, self.history.position().to_move());
        let safe = self.history.safe_amazons();
        let is_safe = |chosen: Move| safe.is_none_or(|amazons| amazons.contains(chosen.from));
        let booked = self.book.moves(self.history.position()).find(|&chosen| is_safe(chosen));
        let Choice { chosen, report } = if let Some(chosen) = booked {
            chosen.into()
        } else {
            self.tell_player();
            let expected = "expected a position that is not lost";
            let lost = || InputError(format!("ply {ply}: the {side} player has no move left: {expected}"));
            let choice = self.player.choose(&limits).ok_or_else(lost)?;
            self.restricted(choice, is_safe)
        };
        self.history.push(chosen.into())?;
        Ok(TurnAnswer { turn, opens, form: request.form, chosen, report })
    }

    /// Brings the player up to the history: by the plies since, if they lead from the position it
    /// knows to this one. The start may have been read otherwise since.
    fn tell_player(&mut self) {
        let (plies, position) = (self.history.plies(), *self.history.position());
        let since = self.told.and_then(|(known, before)| {
            let since = plies.get(known..)?;
            let reached = since.iter().try_fold(before, |before, &chosen| before.play(chosen).ok());
            (reached == Some(position)).then_some(since)
        });
        match since {
            Some(plies) => plies.iter().for_each(|&chosen| self.player.advance(chosen)),
            None => self.player.set_position(&position),
        }
        self.told = Some((plies.len(), position));
    }

    /// A choice restricted to the moves that are `allowed`: the choice itself, else the most visited
    /// such candidate of its report, else the move with the best static value. If no move is allowed,
    /// the choice stays.
    fn restricted(&self, mut choice: Choice, allowed: impl Fn(Move) -> bool) -> Choice {
        if allowed(choice.chosen) {
            return choice;
        }
        if let Some(report) = &mut choice.report
            && let Some(candidate) = report.candidates.iter().find(|it| allowed(it.played)).cloned()
        {
            choice.chosen = candidate.played;
            (report.best, report.value) = (candidate.played, candidate.value);
            report.principal_variation = candidate.line;
            (report.proven, report.ending) = (false, None);
            return choice;
        }
        let position = self.history.position();
        let moves = position.legal_moves_iter().filter(|&chosen| allowed(chosen));
        // The report says nothing of this move.
        greedy_move(position, moves).map_or(choice, Choice::from)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use amazons::{Side, Size};

    use super::*;
    use crate::Start;
    use crate::StartChoice;
    use crate::players::PlayerKind::{self, Quiver};
    use crate::search::{EngineOptions, Limits};

    fn begun(player: PlayerKind, book: Book, board: usize, choice: StartChoice) -> Conversation {
        let start = History::new(board, false, choice).unwrap();
        let options = EngineOptions { memory: 4 << 20, ..EngineOptions::default() };
        let player = player.build(&options, start.position());
        let limits = TurnLimits { first: None, time: None, playouts: Some(300) };
        Conversation::new(player, book, start, limits)
    }

    impl Conversation {
        fn ask(&mut self, content: RequestBody) -> TurnAnswer {
            let request = Request { form: Form::Text, content, time_limit: None };
            self.answer(&request, Stopwatch::wall()).unwrap()
        }

        /// A single ply as the request, `-` for none.
        fn turn(&mut self, ply: &str) -> TurnAnswer {
            self.ask(RequestBody::Turn(coordinates(ply)))
        }
    }

    fn coordinates(ply: &str) -> Coordinates {
        if ply == "-" { Coordinates::NONE } else { ply.parse::<Move>().unwrap().into() }
    }

    impl TurnAnswer {
        /// The visits that its search found in the tree; `None` if there was no search.
        fn reused(&self) -> Option<u64> {
            self.report.as_ref().map(|report| report.reused)
        }

        /// The move and the reply that its search expects.
        fn expected(&self) -> [String; 2] {
            [0, 1].map(|ply| self.report.as_ref().unwrap().principal_variation[ply].to_string())
        }
    }

    #[test]
    fn a_kept_player_goes_on_with_what_it_knows() {
        let mut game = begun(Quiver, Book::default(), 8, StartChoice::Formula);
        let first = game.turn("-");
        assert_eq!(first.reused(), Some(0));
        let [first, reply] = first.expected();
        let second = game.turn(&reply);
        assert!(second.reused() > Some(0));
        // The full history of what is known already goes on as well.
        let [second, last] = second.expected();
        let plies = ["-", &first, &reply, &second, &last].map(coordinates);
        let third = game.ask(RequestBody::History(plies.to_vec()));
        assert!(third.reused() > Some(0));
        // Asked again, the player finds the visits of its last search too; told another past, it
        // starts anew.
        assert!(game.ask(RequestBody::History(plies.to_vec())).reused() > third.reused());
        assert_eq!(game.ask(RequestBody::History(vec![coordinates("c1-c2/c1")])).reused(), Some(0));
    }

    #[test]
    fn a_start_proven_wrong_in_the_middle_of_a_match_is_corrected() {
        let mut game = begun(Quiver, Book::default(), 10, StartChoice::Formula);
        game.turn("-");
        // Under the formula g1 is ours; the opponent moves it.
        assert_eq!(game.turn("g1-g2/g1").reused(), Some(0));
        let theirs = game.history.position().amazons(Side::Second);
        assert!(theirs.contains(&"g2".parse().unwrap()), "{theirs:?}");
    }

    #[test]
    fn every_player_moves_only_the_amazons_allowed() {
        for kind in ["quiver", "greedy", "campya", "random", "level1", "level9"] {
            let mut game = begun(kind.parse().unwrap(), Book::default(), 10, StartChoice::Formula);
            game.tell_player();
            let position = *game.history.position();
            for &amazon in position.amazons(Side::First) {
                let chosen = game.player.choose(&Limits::playouts(50)).unwrap();
                let Choice { chosen, report } = game.restricted(chosen, |chosen| chosen.from == amazon);
                assert!(chosen.from == amazon && position.play(chosen).is_ok(), "{kind}: {chosen}");
                if let Some(report) = report.filter(|_| kind == "quiver") {
                    assert_eq!((report.best, report.principal_variation[0]), (chosen, chosen));
                }
            }
            // Amazons that have no move leave the choice as it was.
            let chosen = game.player.choose(&Limits::playouts(50)).unwrap();
            assert_eq!(game.restricted(chosen.clone(), |_| false).chosen, chosen.chosen, "{kind}");
        }
    }

    #[test]
    fn the_book_decides_where_it_has_a_safe_move() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let lines = "g1-g2/g1\nd1-d2/d1\nd1-d2/d1 a7-b7/a7 d2-d3/d2";
        let book = Book::parse(lines, &start).unwrap();
        let mut game = begun(Quiver, book.clone(), 10, StartChoice::Formula);
        // Whose g1 is stays in doubt until the match shows it.
        for (ply, expected) in [("-", "d1-d2/d1"), ("a7-b7/a7", "d2-d3/d2")] {
            let answer = game.turn(ply);
            assert_eq!((answer.chosen.to_string(), answer.reused()), (expected.to_owned(), None));
        }
        assert_eq!(game.turn("b7-b8/b7").reused(), Some(0));
        // Under the other reading of the start the position is none of the book.
        assert_eq!(begun(Quiver, book, 10, StartChoice::Left).turn("-").reused(), Some(0));
    }

    #[test]
    fn the_debug_line_is_short_whatever_the_search_found() {
        let mut answer = begun(Quiver, Book::default(), 8, StartChoice::Formula).turn("-");
        let any = answer.report.take().unwrap();
        let time = Duration::from_micros(941_999);
        let line = vec!["d1-d7/g7".parse::<Move>().unwrap(); 92];
        let report = |plies: usize| Report {
            principal_variation: line[..plies].to_vec(),
            ..Report { value: 0.534_21, playouts: 3120, reused: 811, depth: 9, time, ..any.clone() }
        };
        for (report, expected) in [
            (report(0), "3120 playouts (811 reused), value 0.534, depth 9, 941 ms"),
            (report(2), "3120 playouts (811 reused), value 0.534, depth 9, 941 ms, d1-d7/g7 d1-d7/g7"),
            (
                Report { reused: 0, proven: true, value: 1.0, ..report(1) },
                "3120 playouts, value 1.000 proven, depth 9, 941 ms, d1-d7/g7",
            ),
        ] {
            answer.report = Some(report);
            assert_eq!(answer.debug(), expected);
        }
        answer.report =
            Some(Report { playouts: u64::MAX, time: Duration::MAX, depth: u32::MAX, ..report(92) });
        let text = answer.debug();
        assert!(text.len() < 1000 && !text.contains('\n'), "{text}");
    }
}
