//! A log replayed by the rules.

use super::game::failure;
use super::{Disagreement, Ending, Failure, Fault, Finish, LoggedAnswer, MatchLog, Reply, RunStatus, Turn};
use crate::game::{Coordinates, FullMove, Position, Side, Size, Start};

/// The starts a match can have begun from, likeliest first. On 10x10 Botzone's page and its judge disagree about
/// who owns four of the squares.
const STARTS: [(usize, Start); 4] =
    [(8, Start::Formula), (10, Start::Formula), (6, Start::Formula), (10, Start::Left)];

/// A match as the rules have it, and where its log says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The board.
    pub size: Size,
    /// Who began where; `None` for a game that began at no start position.
    pub start: Option<Start>,
    /// The start position and the one after each ply.
    pub positions: Vec<Position>,
    /// The plies played. The n-th answers the log's n-th request.
    pub plies: Vec<FullMove>,
    /// How the match ended.
    pub ending: Ending,
    /// Where the log cannot be so, in its order.
    pub disagreements: Vec<Disagreement>,
    /// Entries of the judge whose counts of legal moves were those of the rules.
    pub agreed_counts: usize,
}

/// Replays a match from whichever start its log agrees with best, or from where it is said to begin.
#[must_use]
pub fn check(log: &MatchLog) -> Replay {
    if let Some(claim) = &log.claim {
        let known = |start: &Start| start.position(claim.start.size()) == Ok(claim.start);
        let start = [Start::Formula, Start::Left].into_iter().find(known);
        return Walk::new(start, claim.start).through(log);
    }
    let starts = STARTS.iter().filter_map(|&(side, start)| {
        let position = start.position(Size::square(side).ok()?).ok()?;
        Some(Walk::new(Some(start), position).through(log))
    });
    // Of equals the first: `max_by_key` would give the last.
    let best = starts.reduce(|best, other| if agreement(&other) > agreement(&best) { other } else { best });
    best.unwrap_or_else(|| unreachable!("STARTS holds boards that have a start position"))
}

/// How well a log goes with the start it was replayed from: without a contradiction before with one, and then the
/// further the better. A ply says more than a count, and a wrong count less than a ply that could be played.
fn agreement(replay: &Replay) -> (bool, i64) {
    let (plies, counts) = (replay.plies.len() as i64, replay.agreed_counts as i64);
    let wrong = replay.disagreements.len() as i64;
    (wrong == 0, 2 * plies + counts - wrong)
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
    fn new(start: Option<Start>, position: Position) -> Walk {
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
            (None, None) => self.replay.ending = self.as_claimed(log),
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

    fn attempt(&self, answer: &LoggedAnswer) -> Result<(Coordinates, FullMove, Position), Failure> {
        if answer.verdict != RunStatus::Ok {
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

    /// The end by the board; where the game stops before that, by what is said of it.
    fn as_claimed(&mut self, log: &MatchLog) -> Ending {
        let ending = self.by_the_board();
        let Some(outcome) = log.claim.as_ref().and_then(|claim| claim.outcome) else { return ending };
        if let Ending::Open { .. } = ending {
            return Ending::Failed { loser: !outcome.winner, failure: failure(outcome.manner) };
        }
        if ending.winner() != Some(outcome.winner) {
            self.disagree(Disagreement::Winner { logged: outcome.winner });
        }
        ending
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
mod tests;
