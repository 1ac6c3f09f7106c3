//! A log replayed by the rules.

use std::fmt;

use super::{Answer, Disagreement, Fault, Finish, MatchLog, Reply, Turn, Verdict};
use crate::game::{Coordinates, FullMove, IllegalMove, Position, Side, Size, Start};

/// The starts a match can have begun from, likeliest first. On 10x10 Botzone's page and its judge disagree about
/// who owns four of the squares.
const STARTS: [(usize, Start); 4] =
    [(8, Start::Formula), (10, Start::Formula), (6, Start::Formula), (10, Start::Left)];

/// A match as the rules have it, and where its log says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The board.
    pub size: Size,
    /// Who began where.
    pub start: Start,
    /// The start position and the one after each ply.
    pub positions: Vec<Position>,
    /// The plies played. The n-th answers the log's n-th request.
    pub plies: Vec<FullMove>,
    /// How the match ended.
    pub ending: Ending,
    /// Where the log cannot be so, in its order.
    pub disagreements: Vec<Disagreement>,
    /// Requests whose counts were those of the rules.
    pub agreed_counts: usize,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The loser had no move left.
    NoMove {
        /// The loser.
        loser: Side,
    },
    /// The loser answered, but not with a legal move, or did not answer.
    Failed {
        /// The loser.
        loser: Side,
        /// What it did.
        failure: Failure,
    },
    /// The log stops before the match does.
    Open {
        /// The side to move.
        to_move: Side,
    },
    /// The log cannot be followed to its end.
    Disputed {
        /// The winner by the log, if it names one.
        winner: Option<Side>,
    },
}

/// What a player did in place of a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its program did not run to an answer.
    Program(Verdict),
    /// It answered something that is no move; cut to eighty characters.
    Unreadable(String),
    /// It answered nothing.
    Missing,
    /// It named squares that no board has.
    NoSquares(Coordinates),
    /// Its move is illegal.
    Illegal {
        /// The move.
        full: FullMove,
        /// Why it cannot be played.
        why: IllegalMove,
    },
    /// The judge refused its move, which is legal by the rules, or had some other reason.
    Judged(Fault),
}

impl Ending {
    /// Who won; `None` if that is not known.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        match self {
            Ending::NoMove { loser } | Ending::Failed { loser, .. } => Some(!*loser),
            Ending::Open { .. } => None,
            Ending::Disputed { winner } => *winner,
        }
    }
}

/// What the player did, as the rest of a sentence.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Program(verdict) => verdict.fmt(f),
            Failure::Unreadable(got) => write!(f, "answered \"{got}\", which is no move"),
            Failure::Missing => f.write_str("gave no answer"),
            Failure::NoSquares(numbers) => write!(f, "answered {numbers}, which are no squares of a board"),
            Failure::Illegal { full, why } => write!(f, "made an illegal move, {full}: {why}"),
            Failure::Judged(fault) => write!(f, "was ruled to have failed ({fault})"),
        }
    }
}

/// Replays a match from whichever start agrees with most of its log.
#[must_use]
pub fn check(log: &MatchLog) -> Replay {
    let starts = STARTS.iter().filter_map(|&(side, start)| {
        let position = start.position(Size::square(side).ok()?).ok()?;
        Some(Walk::new(start, position).through(log))
    });
    // Of equals the first: `max_by_key` would give the last.
    let best = starts.reduce(|best, other| if agreement(&other) > agreement(&best) { other } else { best });
    best.unwrap_or_else(|| unreachable!("STARTS holds boards that have a start position"))
}

fn agreement(replay: &Replay) -> usize {
    replay.plies.len() + replay.agreed_counts
}

/// A replay on its way.
struct Walk {
    replay: Replay,
    position: Position,
    /// The numbers last answered, as the judge should pass them on.
    last: Coordinates,
}

/// Whether a log can be followed further.
enum Step {
    Played,
    Failed(Failure),
    Lost,
}

impl Walk {
    fn new(start: Start, position: Position) -> Walk {
        let replay = Replay {
            size: position.size(),
            start,
            positions: vec![position],
            plies: Vec::new(),
            ending: Ending::Open { to_move: position.to_move() },
            disagreements: Vec::new(),
            agreed_counts: 0,
        };
        Walk { replay, position, last: Coordinates::NONE }
    }

    fn through(mut self, log: &MatchLog) -> Replay {
        let mut failure = None;
        for (index, turn) in log.turns.iter().enumerate() {
            let last_turn = index + 1 == log.turns.len();
            match self.turn(turn, last_turn) {
                Step::Played => continue,
                Step::Failed(why) if last_turn => failure = Some(why),
                Step::Failed(why) => {
                    let (ply, loser) = (self.ply() + 1, self.position.to_move());
                    let why = why.to_string();
                    self.disagree(Disagreement::Forgiven { ply, loser, why });
                    return self.disputed(log);
                }
                Step::Lost => return self.disputed(log),
            }
        }
        match (&log.finish, failure) {
            (Some(finish), failure) => self.finish(log, finish, failure),
            (None, Some(failure)) => {
                self.replay.ending = Ending::Failed { loser: self.position.to_move(), failure };
            }
            (None, None) => self.replay.ending = self.by_the_board(),
        }
        self.replay
    }

    /// One request and its answer, played if it can be.
    fn turn(&mut self, turn: &Turn, last_turn: bool) -> Step {
        let (ply, to_move) = (self.ply() + 1, self.position.to_move());
        self.compare_counts(turn.counts);
        self.compare_shown(turn.shown);
        if let Some(winner) = self.position.winner() {
            self.disagree(Disagreement::WentOn { ply, winner });
            return Step::Lost;
        }
        if let Some(asked) = turn.asked.filter(|&asked| asked != to_move) {
            self.disagree(Disagreement::Asked { ply, asked });
        }
        match &turn.answer {
            // The log stops with the request; whether that is its end or the judge's is for the caller.
            None if last_turn => Step::Played,
            None => {
                self.disagree(Disagreement::Skipped { ply, side: to_move });
                Step::Lost
            }
            Some(answer) if answer.side != to_move => {
                self.disagree(Disagreement::Answered { ply, answered: answer.side });
                Step::Lost
            }
            Some(answer) => match self.attempt(answer) {
                Ok((numbers, full, after)) => {
                    self.replay.plies.push(full);
                    self.replay.positions.push(after);
                    (self.position, self.last) = (after, numbers);
                    Step::Played
                }
                Err(failure) => Step::Failed(failure),
            },
        }
    }

    fn attempt(&self, answer: &Answer) -> Result<(Coordinates, FullMove, Position), Failure> {
        if answer.verdict != Verdict::Ok {
            return Err(Failure::Program(answer.verdict.clone()));
        }
        let numbers = match &answer.reply {
            Reply::Numbers(numbers) => *numbers,
            Reply::Unreadable(got) => return Err(Failure::Unreadable(got.clone())),
            Reply::Missing => return Err(Failure::Missing),
        };
        let full = numbers.full_move().ok_or(Failure::NoSquares(numbers))?;
        match self.position.play(full) {
            Ok(after) => Ok((numbers, full, after)),
            Err(why) => Err(Failure::Illegal { full, why }),
        }
    }

    /// The judge's last word against what happened.
    fn finish(&mut self, log: &MatchLog, finish: &Finish, failure: Option<Failure>) {
        let unanswered = log.turns.last().is_some_and(|turn| turn.answer.is_none());
        self.replay.ending = match (failure, &finish.fault) {
            (Some(failure), fault) => self.failed(failure, fault.as_ref(), finish),
            (None, None) => {
                self.compare_counts(finish.counts);
                self.compare_shown(finish.shown);
                self.by_the_board()
            }
            // The answer was never written down: the judge knows why.
            (None, Some(fault)) if unanswered => {
                Ending::Failed { loser: self.position.to_move(), failure: Failure::Judged(fault.clone()) }
            }
            (None, Some(fault)) => self.refused(fault, finish),
        };
        if let Ending::Open { to_move } = self.replay.ending {
            let moves = self.position.count_full_moves(to_move);
            self.disagree(Disagreement::EndedEarly { ply: self.ply(), to_move, moves });
            self.replay.ending = Ending::Disputed { winner: finish.winner };
            return;
        }
        let winner = self.replay.ending.winner();
        if let Some(logged) = finish.winner.filter(|&logged| Some(logged) != winner) {
            self.disagree(Disagreement::Winner { logged });
        } else if let Some(scores) = finish.scores
            && winner
                .is_some_and(|winner| scores[winner.index()] != 2.0 || scores[winner.other().index()] != 0.0)
        {
            self.disagree(Disagreement::Scores { scores: scores.map(|score| score.round() as i64) });
        }
    }

    /// A player failed: does the judge say the same?
    fn failed(&mut self, failure: Failure, fault: Option<&Fault>, finish: &Finish) -> Ending {
        let loser = self.position.to_move();
        let agrees = match (&failure, fault) {
            (_, None) => false,
            (Failure::Program(verdict), Some(fault)) => *fault == Fault::NoMove(verdict.clone()),
            (Failure::Illegal { .. }, Some(fault)) => *fault == Fault::InvalidMove,
            // What is no move to us may have been one, of wrong numbers, to the judge.
            (_, Some(fault)) => matches!(fault, Fault::InvalidMove | Fault::NoMove(_)),
        };
        if !agrees {
            let got = fault.map_or_else(|| "nothing".to_owned(), Fault::to_string);
            let why = failure.to_string();
            self.disagree(Disagreement::Reason { ply: self.ply() + 1, got, loser, why });
        }
        if matches!(failure, Failure::Program(_)) {
            // Nothing was played, not even half of it, as an illegal move may have been.
            self.compare_counts(finish.counts);
        }
        Ending::Failed { loser, failure }
    }

    /// Every answer was legal, and yet the judge found a fault.
    fn refused(&mut self, fault: &Fault, finish: &Finish) -> Ending {
        if self.replay.plies.is_empty() {
            return self.by_the_board();
        }
        self.disagree(Disagreement::Refused { ply: self.ply(), numbers: self.last, fault: fault.clone() });
        Ending::Disputed { winner: finish.winner }
    }

    fn by_the_board(&self) -> Ending {
        let to_move = self.position.to_move();
        match self.position.winner() {
            Some(_) => Ending::NoMove { loser: to_move },
            None => Ending::Open { to_move },
        }
    }

    fn disputed(mut self, log: &MatchLog) -> Replay {
        let winner = log.finish.as_ref().and_then(|finish| finish.winner);
        self.replay.ending = Ending::Disputed { winner };
        self.replay
    }

    fn compare_counts(&mut self, logged: Option<[u64; 2]>) {
        let Some(logged) = logged else { return };
        let counted = Side::BOTH.map(|side| self.position.count_full_moves(side));
        if counted == logged {
            self.replay.agreed_counts += 1;
        } else {
            self.disagree(Disagreement::Counts { ply: self.ply(), logged, counted });
        }
    }

    fn compare_shown(&mut self, shown: Option<Coordinates>) {
        if let Some(shown) = shown.filter(|&shown| shown != self.last) {
            self.disagree(Disagreement::PassedOn { ply: self.ply(), shown, answered: self.last });
        }
    }

    fn ply(&self) -> usize {
        self.replay.plies.len()
    }

    fn disagree(&mut self, disagreement: Disagreement) {
        self.replay.disagreements.push(disagreement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Fen;

    fn numbers(text: &str) -> Coordinates {
        Coordinates::from(text.parse::<FullMove>().unwrap())
    }

    /// A log of these moves as the judge would write it, still open.
    fn log(start: &Position, moves: &[&str]) -> MatchLog {
        let mut log = MatchLog::default();
        let mut position = *start;
        let mut shown = Coordinates::NONE;
        for text in moves {
            let mut turn = request(&position, shown);
            shown = numbers(text);
            turn.answer = Some(answer(position.to_move(), Reply::Numbers(shown)));
            log.turns.push(turn);
            position = text.parse().ok().and_then(|full| position.play(full).ok()).unwrap_or(position);
        }
        log.turns.push(request(&position, shown));
        log
    }

    fn request(position: &Position, shown: Coordinates) -> Turn {
        let counts = Side::BOTH.map(|side| position.count_full_moves(side));
        Turn { asked: Some(position.to_move()), shown: Some(shown), counts: Some(counts), answer: None }
    }

    fn answer(side: Side, reply: Reply) -> Answer {
        Answer {
            side,
            reply,
            verdict: Verdict::Ok,
            time_ms: None,
            memory_mb: None,
            debug: None,
            keep_running: false,
        }
    }

    fn start(side: usize, start: Start) -> Position {
        start.position(Size::square(side).unwrap()).unwrap()
    }

    fn eight() -> Position {
        start(8, Start::Formula)
    }

    fn finish(winner: Side, fault: Option<Fault>) -> Finish {
        let mut scores = [0.0; 2];
        scores[winner.index()] = 2.0;
        Finish { winner: Some(winner), scores: Some(scores), fault, shown: None, counts: None }
    }

    fn kinds(replay: &Replay) -> Vec<&'static str> {
        replay.disagreements.iter().map(Disagreement::kind).collect()
    }

    const OPENING: [&str; 3] = ["f1-d3/g6", "a6-e6/d5", "a3-a4/d1"];

    #[test]
    fn boards_and_starts_are_told_by_their_moves() {
        let cases = [
            (8, Start::Formula, vec!["c1-c4/c5"]),
            (10, Start::Formula, vec!["d1-d7/g7"]),
            (6, Start::Formula, vec!["b1-b4/b5"]),
            // Legal under both starts until the second player's move is not.
            (10, Start::Left, vec!["d1-d2/d3", "g1-g2/g3"]),
        ];
        for (side, which, moves) in cases {
            let replay = check(&log(&start(side, which), &moves));
            assert_eq!((usize::from(replay.size.width()), replay.start), (side, which), "{moves:?}");
            assert_eq!((kinds(&replay), replay.agreed_counts), (vec![], moves.len() + 1), "{moves:?}");
        }
        // The counts alone: no move was made.
        assert_eq!(check(&log(&start(10, Start::Formula), &[])).size.width(), 10);
    }

    #[test]
    fn an_open_log_has_no_winner() {
        let replay = check(&log(&eight(), &OPENING));
        assert_eq!((&replay.ending, replay.plies.len()), (&Ending::Open { to_move: Side::Second }, 3));
        assert_eq!(replay.ending.winner(), None);
    }

    #[test]
    fn wrong_counts_are_named_with_their_ply_and_both_counts() {
        let mut wrong = log(&eight(), &OPENING);
        wrong.turns[2].counts = Some([1, 2]);
        let replay = check(&wrong);
        let position = &replay.positions[2];
        let counted = Side::BOTH.map(|side| position.count_full_moves(side));
        assert_eq!(replay.disagreements, [Disagreement::Counts { ply: 2, logged: [1, 2], counted }]);
        let message = replay.disagreements[0].to_string();
        assert!(
            message.starts_with("after ply 2: the log counts 1 legal moves of the first player and 2"),
            "{message}"
        );
        assert!(message.ends_with(&format!("the rules {} and {}", counted[0], counted[1])), "{message}");
        assert_eq!(replay.plies.len(), 3, "counts are no reason to stop");
    }

    #[test]
    fn an_illegal_move_ends_a_match_if_the_judge_says_so() {
        let mut illegal = log(&eight(), &["f1-d3/g6", "a6-a1/a2"]);
        illegal.turns.pop();
        illegal.finish =
            Some(Finish { counts: Some([9, 9]), ..finish(Side::First, Some(Fault::InvalidMove)) });
        let replay = check(&illegal);
        assert_eq!((kinds(&replay), replay.ending.winner()), (vec![], Some(Side::First)));
        assert!(matches!(replay.ending, Ending::Failed { failure: Failure::Illegal { .. }, .. }));
        illegal.finish = Some(finish(Side::First, Some(Fault::NoMove(Verdict::TimeLimit))));
        assert_eq!(kinds(&check(&illegal)), ["reason"]);
        illegal.finish = Some(finish(Side::Second, Some(Fault::InvalidMove)));
        assert_eq!(kinds(&check(&illegal)), ["winner"]);
    }

    #[test]
    fn an_illegal_move_that_the_judge_plays_stops_the_replay() {
        let replay = check(&log(&eight(), &["f1-d3/g6", "a6-a1/a2", "a3-a4/d1"]));
        assert_eq!((kinds(&replay), replay.plies.len()), (vec!["forgiven"], 1));
        let message = replay.disagreements[0].to_string();
        assert!(
            message.starts_with("ply 2: the log goes on although the second player made an illegal move"),
            "{message}"
        );
        assert_eq!(replay.ending, Ending::Disputed { winner: None });
    }

    #[test]
    fn programs_fail_in_their_own_ways() {
        let fail = |verdict: Verdict, reply: Reply, fault: Fault| {
            let mut log = log(&eight(), &["f1-d3/g6"]);
            let counts = log.turns[1].counts;
            log.turns[1].answer = Some(Answer { verdict, ..answer(Side::Second, reply) });
            log.finish = Some(Finish { counts, ..finish(Side::First, Some(fault)) });
            check(&log)
        };
        let timeout = fail(Verdict::TimeLimit, Reply::Missing, Fault::NoMove(Verdict::TimeLimit));
        assert_eq!((kinds(&timeout), timeout.agreed_counts), (vec![], 3));
        let loser = Side::Second;
        assert_eq!(timeout.ending, Ending::Failed { loser, failure: Failure::Program(Verdict::TimeLimit) });
        let garbage = fail(Verdict::Ok, Reply::Unreadable("x".into()), Fault::NoMove(Verdict::Ok));
        assert_eq!((kinds(&garbage), garbage.ending.winner()), (vec![], Some(Side::First)));
        let beyond = fail(Verdict::Ok, Reply::Numbers(Coordinates::NONE), Fault::InvalidMove);
        assert!(matches!(beyond.ending, Ending::Failed { failure: Failure::NoSquares(_), .. }));
        let crash = fail(Verdict::Runtime, Reply::Missing, Fault::NoMove(Verdict::TimeLimit));
        assert_eq!(kinds(&crash), ["reason"]);
    }

    #[test]
    fn an_end_too_early_and_a_legal_move_refused_are_seen() {
        let mut early = log(&eight(), &OPENING);
        early.turns.pop();
        early.finish = Some(finish(Side::First, None));
        let replay = check(&early);
        assert_eq!((kinds(&replay), replay.ending.winner()), (vec!["ended-early"], Some(Side::First)));
        early.finish = Some(finish(Side::Second, Some(Fault::InvalidMove)));
        assert_eq!(kinds(&check(&early)), ["refused"]);
    }

    #[test]
    fn turns_out_of_turn_are_seen() {
        let change = |change: fn(&mut MatchLog)| {
            let mut log = log(&eight(), &OPENING);
            change(&mut log);
            kinds(&check(&log))
        };
        assert_eq!(change(|log| log.turns[1].asked = Some(Side::First)), ["asked"]);
        assert_eq!(
            change(|log| log.turns[1].answer = Some(answer(Side::First, Reply::Missing))),
            ["answered"]
        );
        assert_eq!(change(|log| log.turns[1].answer = None), ["skipped"]);
        assert_eq!(change(|log| log.turns[1].shown = Some(Coordinates::NONE)), ["passed-on"]);
    }

    #[test]
    fn a_match_that_outlives_its_end_is_seen() {
        // Walked from a position of its own: no start is so near its end.
        let near = "Q1q w".parse::<Fen>().unwrap().0;
        let mut log = log(&near, &["a1-b1/a1"]);
        log.turns.last_mut().unwrap().answer = Some(answer(Side::Second, Reply::Missing));
        assert_eq!(kinds(&Walk::new(Start::Formula, near).through(&log)), ["went-on"]);
        log.turns.pop();
        log.finish = Some(finish(Side::First, None));
        let replay = Walk::new(Start::Formula, near).through(&log);
        assert_eq!((kinds(&replay), replay.ending), (vec![], Ending::NoMove { loser: Side::Second }));
        log.finish = Some(Finish { scores: Some([1.0, 0.0]), ..finish(Side::First, None) });
        assert_eq!(kinds(&Walk::new(Start::Formula, near).through(&log)), ["scores"]);
    }

    #[test]
    fn an_empty_log_is_an_open_match() {
        assert_eq!(check(&MatchLog::default()).ending, Ending::Open { to_move: Side::First });
    }
}
