//! A log replayed by the rules.

use super::game::failure;
use super::{
    Disagreement, Failure, Finish, JudgeError, LoggedAnswer, MatchEnding, MatchLog, Reply, RunStatus, Turn,
};
use crate::game::{Coordinates, FullMove, Position, Side, Size, Start};

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
    pub ending: MatchEnding,
    /// Where the log cannot be so, in its order.
    pub disagreements: Vec<Disagreement>,
    /// Entries of the judge whose counts of legal moves were those of the rules.
    pub agreed_counts: usize,
}

/// Replays a match from whichever start its log agrees with best, or from where it is said to
/// begin.
#[must_use]
pub fn check(log: &MatchLog) -> Replay {
    if let Some(claim) = &log.claim {
        let known = |start: &Start| start.position(claim.start.size()) == Ok(claim.start);
        let start = [Start::Formula, Start::Left].into_iter().find(known);
        return Walk::new(start, claim.start).through(log);
    }
    let starts = Start::positions().map(|(start, position)| Walk::new(Some(start), position).through(log));
    // Of equals the first: `max_by_key` would give the last.
    let best = starts.reduce(|best, other| if agreement(&other) > agreement(&best) { other } else { best });
    best.unwrap_or_else(|| unreachable!("no start position is known"))
}

/// How well a log goes with the start it was replayed from: without a contradiction before with
/// one, and then the further the better. A ply says more than a count, and a wrong count less than
/// a ply that could be played.
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
            ending: MatchEnding::Open { to_move: position.to_move() },
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
                    self.disagree(
                        "forgiven",
                        ply,
                        format!("ply {ply}: the log goes on although the {loser} player {why}"),
                    );
                    return self.disputed(log);
                }
                Step::Lost => return self.disputed(log),
            }
        }
        match (&log.finish, failure) {
            (Some(finish), failure) => self.finish(log, finish, failure),
            (None, Some(failure)) => {
                self.replay.ending = MatchEnding::Failed { loser: self.position.to_move(), failure };
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
            let won = format!("by the rules the {winner} player had won after ply {}", ply - 1);
            self.disagree("went-on", ply, format!("ply {ply}: the log goes on, {won}"));
            return Step::Lost;
        }
        if let Some(asked) = turn.asked.filter(|&asked| asked != to_move) {
            let rules = "by the rules it is the other's turn";
            self.disagree("asked", ply, format!("ply {ply}: the log asks the {asked} player, {rules}"));
        }
        match &turn.answer {
            // The log stops with the request; whether that is its end or the judge's is for the
            // caller.
            None if last_turn => Step::Played,
            None => {
                let message = format!("ply {ply}: the log goes on without an answer of the {to_move} player");
                self.disagree("skipped", ply, message);
                Step::Lost
            }
            Some(answer) if answer.side != to_move => {
                let (side, rules) = (answer.side, "by the rules it is the other's turn");
                self.disagree("answered", ply, format!("ply {ply}: the {side} player answers, {rules}"));
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
        if answer.verdict != RunStatus::ok() {
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
        self.replay.ending = match (failure, &finish.error) {
            (Some(failure), error) => self.failed(failure, error.as_ref(), finish),
            (None, None) => {
                self.compare_counts(finish.counts);
                self.compare_shown(finish.shown);
                self.by_the_board()
            }
            // The answer was never written down: the judge knows why.
            (None, Some(error)) if unanswered => MatchEnding::Failed {
                loser: self.position.to_move(),
                failure: Failure::Judged(error.clone()),
            },
            (None, Some(error)) => self.refused(error, finish),
        };
        if let MatchEnding::Open { to_move } = self.replay.ending {
            let moves = self.position.count_full_moves(to_move);
            let ply = self.ply();
            let rules = format!("by the rules the {to_move} player has {moves} legal moves");
            self.disagree("ended-early", ply, format!("after ply {ply}: the log ends the match, {rules}"));
            self.replay.ending = MatchEnding::Disputed { winner: finish.winner };
            return;
        }
        let winner = self.replay.ending.winner();
        if let Some(logged) = finish.winner.filter(|&logged| Some(logged) != winner) {
            self.disagree_on_winner(logged);
        } else if let Some(scores) = finish.scores
            && winner
                .is_some_and(|winner| scores[winner.index()] != 2.0 || scores[winner.other().index()] != 0.0)
        {
            let [first, second] = scores.map(f64::round);
            let expected = "expected 2 for the winner and 0 for the loser";
            self.disagree(
                "scores",
                None,
                format!("the log gives the scores {first} and {second}, {expected}"),
            );
        }
    }

    /// A player failed: does the judge say the same?
    fn failed(&mut self, failure: Failure, error: Option<&JudgeError>, finish: &Finish) -> MatchEnding {
        let loser = self.position.to_move();
        let agrees = match (&failure, error) {
            (_, None) => false,
            (Failure::Program(verdict), Some(error)) => error.run_status().as_ref() == Some(verdict),
            (Failure::Illegal { .. }, Some(error)) => error.is_invalid_move(),
            // What is no move to us may have been one, of wrong numbers, to the judge.
            (_, Some(error)) => error.is_invalid_move() || error.run_status().is_some(),
        };
        if !agrees {
            let got = error.map_or_else(|| "nothing".to_owned(), JudgeError::to_string);
            let ply = self.ply() + 1;
            let rules = format!("but the {loser} player {failure}");
            self.disagree(
                "reason",
                ply,
                format!("ply {ply}: the log gives {got} as the reason of the end, {rules}"),
            );
        }
        if matches!(failure, Failure::Program(_)) {
            // Nothing was played, not even half of it, as an illegal move may have been.
            self.compare_counts(finish.counts);
        }
        MatchEnding::Failed { loser, failure }
    }

    /// Every answer was legal, and yet the judge found a fault.
    fn refused(&mut self, error: &JudgeError, finish: &Finish) -> MatchEnding {
        if self.replay.plies.is_empty() {
            return self.by_the_board();
        }
        let (ply, numbers) = (self.ply(), self.last);
        let refusal = format!("the log's judge refuses the move {numbers} ({error})");
        self.disagree("refused", ply, format!("ply {ply}: {refusal}, by the rules it is legal"));
        MatchEnding::Disputed { winner: finish.winner }
    }

    /// The end by the board; where the game stops before that, by what is said of it.
    fn as_claimed(&mut self, log: &MatchLog) -> MatchEnding {
        let ending = self.by_the_board();
        let Some(outcome) = log.claim.as_ref().and_then(|claim| claim.outcome) else { return ending };
        if let MatchEnding::Open { .. } = ending {
            return MatchEnding::Failed { loser: !outcome.winner, failure: failure(outcome.manner) };
        }
        if ending.winner() != Some(outcome.winner) {
            self.disagree_on_winner(outcome.winner);
        }
        ending
    }

    fn by_the_board(&self) -> MatchEnding {
        let to_move = self.position.to_move();
        match self.position.winner() {
            Some(_) => MatchEnding::NoMove { loser: to_move },
            None => MatchEnding::Open { to_move },
        }
    }

    fn disputed(mut self, log: &MatchLog) -> Replay {
        let winner = log.finish.as_ref().and_then(|finish| finish.winner);
        self.replay.ending = MatchEnding::Disputed { winner };
        self.replay
    }

    fn compare_counts(&mut self, logged: Option<[u64; 2]>) {
        let Some(logged) = logged else { return };
        let counted = Side::BOTH.map(|side| self.position.count_full_moves(side));
        if counted == logged {
            self.replay.agreed_counts += 1;
        } else {
            let ply = self.ply();
            let message = format!(
                "after ply {ply}: the log counts {} legal moves of the first player and {} of the second, the rules \
                 {} and {}",
                logged[0], logged[1], counted[0], counted[1]
            );
            self.disagree("counts", ply, message);
            if let Some(disagreement) = self.replay.disagreements.last_mut() {
                disagreement.counts = Some([logged, counted]);
            }
        }
    }

    fn compare_shown(&mut self, shown: Option<Coordinates>) {
        if let Some(shown) = shown.filter(|&shown| shown != self.last) {
            let (ply, answered) = (self.ply(), self.last);
            let judge = format!("the log's judge passes on the move {shown}");
            self.disagree("passed-on", ply, format!("after ply {ply}: {judge}, but {answered} was answered"));
        }
    }

    fn ply(&self) -> usize {
        self.replay.plies.len()
    }

    fn disagree_on_winner(&mut self, logged: Side) {
        let message =
            format!("the log names the {logged} player as the winner, by the rules it is the other");
        self.disagree("winner", None, message);
    }

    fn disagree(&mut self, kind: &'static str, ply: impl Into<Option<usize>>, message: String) {
        self.replay.disagreements.push(Disagreement { kind, ply: ply.into(), message, counts: None });
    }
}

#[cfg(test)]
mod tests;
