//! One match of a bot. Answers each request of the judge, which is the referee program of Botzone.

use crate::InputError;
use amazons::{Move, Position};
use serde::Serialize;

use super::history::History;
use super::request::{JudgeRequest, RequestBody, RequestForm};
use super::settings::TurnLimits;
use crate::Coordinates;
use crate::messages::counted;
use quiver_engine::players::{Book, Choice, Player, greedy_move};
use quiver_engine::search::{Limits, Report, Stopwatch};

const MAX_DEBUG_PLIES: usize = 6;

/// The state of a bot during a match: the moves so far, and the player that chooses the moves.
///
/// The bot tells the player about the bot's own move only after the opponent's reply. An earlier
/// update would save no time: the judge counts any work after an answer as time of the next turn.
pub struct Conversation {
    player: Box<dyn Player>,
    book: Book,
    limits: TurnLimits,
    start: History,
    history: History,
    /// The number of plies that the player knows, and the position after them.
    player_at: Option<(usize, Position)>,
}

/// The bot's answer to one request, with the move of one turn.
#[derive(Clone, Debug)]
pub struct TurnAnswer {
    /// The number of the ply in the match, from 1.
    pub ply: usize,
    /// The move that the bot plays.
    pub chosen: Move,
    /// True if the move is from the opening book.
    pub is_booked: bool,
    /// The report of the search; `None` if the player did not search.
    pub report: Option<Report>,
}

impl TurnAnswer {
    pub(super) fn text(&self, form: RequestForm) -> String {
        #[derive(Serialize)]
        struct JsonAnswer {
            response: Coordinates,
            debug: String,
        }
        let (response, debug) = (Coordinates::from(self.chosen), self.debug());
        match form {
            // Serialising never fails, because the object has only integers and strings.
            RequestForm::Json => {
                serde_json::to_string(&JsonAnswer { response, debug }).unwrap_or_default() + "\n"
            }
            RequestForm::Text => format!("{response}\n{debug}\n"),
        }
    }

    /// Describes the search in one line, far shorter than the judge's limit of 1 KB.
    fn debug(&self) -> String {
        let Some(report) = &self.report else {
            return String::from(if self.is_booked { "book" } else { "no search" });
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
        let shown = report.principal_variation.iter().take(MAX_DEBUG_PLIES);
        let variation: String = shown.map(|chosen| format!(" {chosen}")).collect();
        let separator = if variation.is_empty() { "" } else { "," };
        format!(
            "{playouts}{reused}, value {value:.3}{proven}, depth {depth}, {time} ms{separator}{variation}"
        )
    }
}

impl Conversation {
    /// A match before its first request. `player` chooses the moves that are not in `book`.
    pub fn new(player: Box<dyn Player>, book: Book, start: History, limits: TurnLimits) -> Conversation {
        Conversation { player, book, limits, history: start.clone(), start, player_at: None }
    }

    /// Answers a request, and adds the answer to the history.
    ///
    /// # Errors
    /// If a ply of the request is illegal, or the bot has no legal move.
    pub fn answer(&mut self, request: &JudgeRequest, stopwatch: Stopwatch) -> Result<TurnAnswer, InputError> {
        match &request.content {
            RequestBody::History(entries) => self.history = self.start.extended(entries)?,
            RequestBody::Turn(Coordinates::NONE) if self.history.plies().is_empty() => {}
            RequestBody::Turn(ply) => self.history.push(*ply)?,
        }
        let (ply, side) = (self.history.plies().len() + 1, self.history.position().to_move());
        let time = self.limits.of_turn(ply.div_ceil(2), request.time_limit.map(|limit| limit.time));
        let limits =
            Limits { time, playouts: self.limits.playouts, stopwatch: Some(stopwatch), ..Limits::default() };
        let safe = self.history.certainly_own_amazons();
        let is_safe = |chosen: Move| safe.is_none_or(|amazons| amazons.contains(chosen.from));
        let booked = self.book.moves(self.history.position()).find(|&chosen| is_safe(chosen));
        let Choice { chosen, report } = if let Some(chosen) = booked {
            chosen.into()
        } else {
            self.update_player();
            let expected = "expected a position with a legal move";
            let lost = || InputError(format!("ply {ply}: the {side} player has no move left: {expected}"));
            let choice = self.player.choose(&limits).ok_or_else(lost)?;
            self.restrict_choice(choice, is_safe)
        };
        self.history.push(chosen.into())?;
        Ok(TurnAnswer { ply, chosen, is_booked: booked.is_some(), report })
    }

    /// Tells the player the current position. If new plies lead from the position that the player
    /// knows to the current position, the player gets only these plies and can reuse its tree.
    /// Otherwise, as after a change of the start position, the player gets the whole position.
    fn update_player(&mut self) {
        let (plies, position) = (self.history.plies(), *self.history.position());
        let since = self.player_at.and_then(|(known, before)| {
            let since = plies.get(known..)?;
            let reached = since.iter().try_fold(before, |before, &chosen| before.play(chosen).ok());
            (reached == Some(position)).then_some(since)
        });
        match since {
            Some(plies) => plies.iter().for_each(|&chosen| self.player.advance(chosen)),
            None => self.player.set_position(&position),
        }
        self.player_at = Some((plies.len(), position));
    }

    /// Returns the player's choice if its move is allowed. Otherwise returns the most visited
    /// allowed move that the search report lists, or if it lists no allowed move, the allowed move
    /// with the best static value. If no move is allowed, returns the choice unchanged.
    fn restrict_choice(&self, choice: Choice, allowed: impl Fn(Move) -> bool) -> Choice {
        if allowed(choice.chosen) {
            return choice;
        }
        if let Some(report) = &choice.report
            && let Some(candidate) = report.candidates.iter().find(|it| allowed(it.played))
        {
            return Choice::of_candidate(candidate.clone(), report.clone());
        }
        let position = self.history.position();
        let moves = position.legal_moves_iter().filter(|&chosen| allowed(chosen));
        // The search report does not list the returned move, so the result has no report.
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
    use quiver_engine::players::PlayerKind::{self, Quiver};
    use quiver_engine::search::{EngineOptions, Limits};

    fn begun(player: PlayerKind, book: Book, board: usize, choice: StartChoice) -> Conversation {
        let start = History::new(board, false, choice).unwrap();
        let options = EngineOptions { memory: 4 << 20, ..EngineOptions::default() };
        let player = player.build(&options, start.position());
        let limits = TurnLimits { first: None, time: None, playouts: Some(300) };
        Conversation::new(player, book, start, limits)
    }

    impl Conversation {
        fn ask(&mut self, content: RequestBody) -> TurnAnswer {
            let request = JudgeRequest { form: RequestForm::Text, content, time_limit: None };
            self.answer(&request, Stopwatch::wall()).unwrap()
        }

        fn turn(&mut self, ply: &str) -> TurnAnswer {
            self.ask(RequestBody::Turn(coordinates(ply)))
        }
    }

    fn coordinates(ply: &str) -> Coordinates {
        if ply == "-" { Coordinates::NONE } else { ply.parse::<Move>().unwrap().into() }
    }

    impl TurnAnswer {
        fn reused(&self) -> Option<u64> {
            self.report.as_ref().map(|report| report.reused)
        }

        fn expected(&self) -> [String; 2] {
            [0, 1].map(|ply| self.report.as_ref().unwrap().principal_variation[ply].to_string())
        }
    }

    #[test]
    fn kept_player_reuses_its_tree() {
        let mut game = begun(Quiver, Book::default(), 8, StartChoice::Formula);
        let first = game.turn("-");
        assert_eq!(first.reused(), Some(0));
        let [first, reply] = first.expected();
        let second = game.turn(&reply);
        assert!(second.reused() > Some(0));
        let [second, last] = second.expected();
        let plies = ["-", &first, &reply, &second, &last].map(coordinates);
        let third = game.ask(RequestBody::History(plies.to_vec()));
        assert!(third.reused() > Some(0));
        assert!(game.ask(RequestBody::History(plies.to_vec())).reused() > third.reused());
        assert_eq!(game.ask(RequestBody::History(vec![coordinates("c1-c2/c1")])).reused(), Some(0));
    }

    #[test]
    fn corrects_start_during_match() {
        let mut game = begun(Quiver, Book::default(), 10, StartChoice::Formula);
        game.turn("-");
        // The bot assumes that it owns the amazon on g1. The opponent's move of this amazon
        // disproves the assumed start position, so the bot cannot reuse its tree.
        assert_eq!(game.turn("g1-g2/g1").reused(), Some(0));
        let theirs = game.history.position().amazons(Side::Second);
        assert!(theirs.contains(&"g2".parse().unwrap()), "{theirs:?}");
    }

    #[test]
    fn players_move_only_allowed_amazons() {
        for kind in ["quiver", "greedy", "campya", "random", "level1", "level9"] {
            let mut game = begun(kind.parse().unwrap(), Book::default(), 10, StartChoice::Formula);
            game.update_player();
            let position = *game.history.position();
            for &amazon in position.amazons(Side::First) {
                let chosen = game.player.choose(&Limits::playouts(50)).unwrap();
                let Choice { chosen, report } = game.restrict_choice(chosen, |chosen| chosen.from == amazon);
                assert!(chosen.from == amazon && position.play(chosen).is_ok(), "{kind}: {chosen}");
                if let Some(report) = report.filter(|_| kind != "campya") {
                    assert_eq!((report.best, report.principal_variation[0]), (chosen, chosen));
                }
            }
            let chosen = game.player.choose(&Limits::playouts(50)).unwrap();
            assert_eq!(game.restrict_choice(chosen.clone(), |_| false).chosen, chosen.chosen, "{kind}");
        }
    }

    #[test]
    fn plays_safe_moves_of_book() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let lines = "g1-g2/g1\nd1-d2/d1\nd1-d2/d1 a7-b7/a7 d2-d3/d2";
        let book = Book::parse(lines, &start).unwrap();
        let mut game = begun(Quiver, book.clone(), 10, StartChoice::Formula);
        // The bot skips the book's first move, because the opponent may own the amazon on g1.
        for (ply, expected) in [("-", "d1-d2/d1"), ("a7-b7/a7", "d2-d3/d2")] {
            let answer = game.turn(ply);
            assert_eq!((answer.chosen.to_string(), answer.reused()), (expected.to_owned(), None));
        }
        assert_eq!(game.turn("b7-b8/b7").reused(), Some(0));
        // The book has no move for the start position `Left`, so the bot searches.
        assert_eq!(begun(Quiver, book, 10, StartChoice::Left).turn("-").reused(), Some(0));
    }

    #[test]
    fn debug_line_is_short() {
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
