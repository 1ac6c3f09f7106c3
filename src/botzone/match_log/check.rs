//! A log replayed by the rules.

use std::fmt;

use super::ending::{INVALID_MOVE, MatchEnding, VERDICT};
use super::{Failure, Finish, LoggedAnswer, MatchLog, Reply, Turn};
use crate::game::{Coordinates, EndKind, FullMove, Position, Side, Size, Start};

/// A match as the rules have it, and where its log says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    pub size: Size,
    /// Who began where; `None` for a game that began at no start position.
    pub start: Option<Start>,
    /// The start position and the one after each ply.
    pub positions: Vec<Position>,
    /// The plies played. The n-th answers the log's n-th request.
    pub plies: Vec<FullMove>,
    pub ending: MatchEnding,
    /// Where the log cannot be so, in its order.
    pub disagreements: Vec<Disagreement>,
    /// Entries of the judge whose counts of legal moves were those of the rules.
    pub agreed_counts: usize,
}

/// Something in a log that cannot be so by the rules. Plies are counted from 1; "after ply 0" is
/// the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Its kind in one word, for programs.
    pub kind: &'static str,
    /// The ply it is about; `None` where it is about the result.
    pub ply: Option<usize>,
    /// What the log says and what the rules say.
    pub message: String,
    /// The legal full moves of both sides by the log and by the rules, where they differ.
    pub counts: Option<[[u64; 2]; 2]>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Replays a match from whichever start its log agrees with best, or from where it is said to
/// begin.
pub fn check(log: &MatchLog) -> Replay {
    if let Some(claim) = &log.claim {
        return Replay::new(Start::of(&claim.start), claim.start).through(log);
    }
    let replays = Start::positions().map(|(start, position)| Replay::new(Some(start), position).through(log));
    // Of equals the first: `max_by_key` would give the last.
    let best = replays.reduce(|best, other| if other.agreement() > best.agreement() { other } else { best });
    best.unwrap_or_else(|| unreachable!("no start position is known"))
}

/// Why a log cannot be followed further.
enum Stop {
    /// The player to move failed.
    Failed(Failure),
    /// The log contradicts itself or the rules.
    Contradiction,
}

impl Replay {
    fn new(start: Option<Start>, position: Position) -> Replay {
        Replay {
            size: position.size(),
            start,
            positions: vec![position],
            plies: Vec::new(),
            ending: MatchEnding::Open { to_move: position.to_move() },
            disagreements: Vec::new(),
            agreed_counts: 0,
        }
    }

    /// How well a log goes with the start it was replayed from: without a contradiction before with
    /// one, and then the further the better. A ply says more than a count, and a wrong count less
    /// than a ply that could be played.
    fn agreement(&self) -> (bool, i64) {
        let (plies, counts) = (self.plies.len() as i64, self.agreed_counts as i64);
        let wrong = self.disagreements.len() as i64;
        (wrong == 0, 2 * plies + counts - wrong)
    }

    /// The position after the last ply.
    fn position(&self) -> &Position {
        &self.positions[self.plies.len()]
    }

    /// The numbers last answered, as the judge should pass them on.
    fn last(&self) -> Coordinates {
        self.plies.last().map_or(Coordinates::NONE, |&full| full.into())
    }

    fn through(mut self, log: &MatchLog) -> Replay {
        let mut failure = None;
        for (index, turn) in log.turns.iter().enumerate() {
            let stopped = match failure.take() {
                None => self.turn(turn, index + 1 == log.turns.len()).err(),
                Some(why) => {
                    let loser = self.position().to_move();
                    self.at_ply("forgiven", format!("the log goes on although the {loser} player {why}"));
                    Some(Stop::Contradiction)
                }
            };
            match stopped {
                None => {}
                Some(Stop::Failed(why)) => failure = Some(why),
                Some(Stop::Contradiction) => {
                    let winner = log.finish.as_ref().and_then(|finish| finish.winner);
                    self.ending = MatchEnding::Disputed { winner };
                    return self;
                }
            }
        }
        match (&log.finish, failure) {
            (Some(finish), failure) => self.finish(log, finish, failure),
            (None, Some(failure)) => self.ending = self.failed(failure),
            (None, None) => self.ending = self.as_claimed(log),
        }
        self
    }

    /// One request and its answer, played if it can be.
    fn turn(&mut self, turn: &Turn, is_last: bool) -> Result<(), Stop> {
        let to_move = self.position().to_move();
        self.compare(turn.counts, turn.shown);
        if let Some(winner) = self.position().winner() {
            let ply = self.plies.len();
            let won = format!("by the rules the {winner} player had won after ply {ply}");
            self.at_ply("went-on", format!("the log goes on, {won}"));
            return Err(Stop::Contradiction);
        }
        let other = "by the rules it is the other's turn";
        if let Some(asked) = turn.asked.filter(|&asked| asked != to_move) {
            self.at_ply("asked", format!("the log asks the {asked} player, {other}"));
        }
        match &turn.answer {
            // The log stops with the request; whether that is its end or the judge's is for the
            // caller.
            None if is_last => return Ok(()),
            None => {
                self.at_ply("skipped", format!("the log goes on without an answer of the {to_move} player"));
            }
            Some(LoggedAnswer { side, .. }) if *side != to_move => {
                self.at_ply("answered", format!("the {side} player answers, {other}"));
            }
            Some(answer) => return self.play(answer).map_err(Stop::Failed),
        }
        Err(Stop::Contradiction)
    }

    fn play(&mut self, answer: &LoggedAnswer) -> Result<(), Failure> {
        if answer.verdict != "OK" {
            return Err(Failure::Program(answer.verdict.clone()));
        }
        let numbers = match &answer.reply {
            Reply::Numbers(numbers) => *numbers,
            Reply::Unreadable(got) => return Err(Failure::Unreadable(got.clone())),
            Reply::Missing => return Err(Failure::Missing),
        };
        let full = numbers.full_move().ok_or(Failure::NoSquares(numbers))?;
        let after = self.position().play(full).map_err(|why| Failure::Illegal { full, why })?;
        self.plies.push(full);
        self.positions.push(after);
        Ok(())
    }

    /// The judge's last word against what happened.
    fn finish(&mut self, log: &MatchLog, finish: &Finish, failure: Option<Failure>) {
        let unanswered = log.turns.last().is_some_and(|turn| turn.answer.is_none());
        self.ending = match (failure, &finish.error) {
            (Some(failure), error) => {
                self.compare_failure(&failure, error.as_deref(), finish);
                self.failed(failure)
            }
            (None, None) => {
                self.compare(finish.counts, finish.shown);
                self.by_the_board()
            }
            // The answer was never written down: the judge knows why.
            (None, Some(error)) if unanswered => self.failed(Failure::Judged(error.clone())),
            (None, Some(_)) if self.plies.is_empty() => self.by_the_board(),
            (None, Some(error)) => {
                let refusal = format!("the log's judge refuses the move {} ({error})", self.last());
                self.after_ply("refused", format!("{refusal}, by the rules it is legal"));
                MatchEnding::Disputed { winner: finish.winner }
            }
        };
        if let MatchEnding::Open { to_move } = self.ending {
            let moves = self.position().count_full_moves(to_move);
            let rules = format!("by the rules the {to_move} player has {moves} legal moves");
            self.after_ply("ended-early", format!("the log ends the match, {rules}"));
            self.ending = MatchEnding::Disputed { winner: finish.winner };
            return;
        }
        let winner = self.ending.winner();
        let expected = winner.map(|winner| Side::BOTH.map(|side| if side == winner { 2.0 } else { 0.0 }));
        if let Some(logged) = finish.winner.filter(|&logged| Some(logged) != winner) {
            self.disagree_on_winner(logged);
        } else if let Some([first, second]) =
            finish.scores.filter(|_| winner.is_some() && finish.scores != expected)
        {
            let scores = format!("the log gives the scores {first:.0} and {second:.0}");
            self.disagree("scores", None, format!("{scores}, expected 2 for the winner and 0 for the loser"));
        }
    }

    /// A player failed: does the judge say the same?
    fn compare_failure(&mut self, failure: &Failure, error: Option<&str>, finish: &Finish) {
        let verdict = error.and_then(|error| error.strip_prefix(VERDICT));
        let agrees = match failure {
            Failure::Program(word) => verdict == Some(word),
            Failure::Illegal { .. } => error == Some(INVALID_MOVE),
            // What is no move to us may have been one, of wrong numbers, to the judge.
            _ => error == Some(INVALID_MOVE) || verdict.is_some(),
        };
        if !agrees {
            let (got, loser) = (error.unwrap_or("nothing"), self.position().to_move());
            let reason = format!("the log gives {got} as the reason of the end");
            self.at_ply("reason", format!("{reason}, but the {loser} player {failure}"));
        }
        if matches!(failure, Failure::Program(_)) {
            // Nothing was played, not even half of it, as an illegal move may have been.
            self.compare(finish.counts, None);
        }
    }

    /// The end by the board; where the game stops before that, by what is said of it.
    fn as_claimed(&mut self, log: &MatchLog) -> MatchEnding {
        let ending = self.by_the_board();
        let Some(end) = log.claim.as_ref().and_then(|claim| claim.end.as_ref()) else { return ending };
        if let MatchEnding::Open { .. } = ending {
            let loser = !end.winner;
            let failure = match end.kind {
                EndKind::Resignation => Failure::Resigned,
                EndKind::Time => Failure::Program("TLE".to_owned()),
                kind if kind.is_fault() => Failure::Judged(kind.to_string()),
                _ => return MatchEnding::Awarded { loser },
            };
            return MatchEnding::Failed { loser, failure };
        }
        if ending.winner() != Some(end.winner) {
            self.disagree_on_winner(end.winner);
        }
        ending
    }

    fn by_the_board(&self) -> MatchEnding {
        let to_move = self.position().to_move();
        match self.position().winner() {
            Some(_) => MatchEnding::NoMove { loser: to_move },
            None => MatchEnding::Open { to_move },
        }
    }

    fn failed(&self, failure: Failure) -> MatchEnding {
        MatchEnding::Failed { loser: self.position().to_move(), failure }
    }

    /// What the judge shows against the rules: the legal moves of both sides, and the last move.
    fn compare(&mut self, counts: Option<[u64; 2]>, shown: Option<Coordinates>) {
        if let Some(logged) = counts {
            let counted = Side::BOTH.map(|side| self.position().count_full_moves(side));
            if logged == counted {
                self.agreed_counts += 1;
            } else {
                let log =
                    format!("{} legal moves of the first player and {} of the second", logged[0], logged[1]);
                let rules = format!("the rules {} and {}", counted[0], counted[1]);
                let disagreement = self.after_ply("counts", format!("the log counts {log}, {rules}"));
                disagreement.counts = Some([logged, counted]);
            }
        }
        let last = self.last();
        if let Some(shown) = shown.filter(|&shown| shown != last) {
            let judge = format!("the log's judge passes on the move {shown}");
            self.after_ply("passed-on", format!("{judge}, but {last} was answered"));
        }
    }

    fn disagree_on_winner(&mut self, logged: Side) {
        let message =
            format!("the log names the {logged} player as the winner, by the rules it is the other");
        self.disagree("winner", None, message);
    }

    /// Something about the ply that comes next.
    fn at_ply(&mut self, kind: &'static str, message: String) {
        let ply = self.plies.len() + 1;
        self.disagree(kind, Some(ply), format!("ply {ply}: {message}"));
    }

    fn after_ply(&mut self, kind: &'static str, message: String) -> &mut Disagreement {
        let ply = self.plies.len();
        self.disagree(kind, Some(ply), format!("after ply {ply}: {message}"))
    }

    fn disagree(&mut self, kind: &'static str, ply: Option<usize>, message: String) -> &mut Disagreement {
        self.disagreements.push_mut(Disagreement { kind, ply, message, counts: None })
    }
}

#[cfg(test)]
mod tests;
