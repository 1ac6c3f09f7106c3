//! Replays a match log by the rules, and lists its statements that contradict the rules.

use amazons::{Position, Side};
use quiver_bot::{Coordinates, Start};
use serde::Serialize;
use serde_json::Value;

use super::{MatchLog, excerpt, form};
use crate::formats::judge_log::{FAILED_PROGRAM, INVALID_MOVE, VERDICTS};
use crate::games::{EndKind, Game, GameEnd, MatchGame, PlayedMove};
use crate::words::{self, Language};

/// A game, and the statements of its log or file that contradict the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedGame {
    /// The game up to its last legal move.
    pub game: Game,
    /// The statements that contradict the rules, in the order of plies.
    pub disagreements: Vec<Disagreement>,
    /// How many of the judge's outputs state the right numbers of legal moves.
    pub agreed_counts: usize,
}

/// A statement of a match log, or of another file with a game, that contradicts the rules. Plies
/// are counted from 1, so that "after ply 0" means the start position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Disagreement {
    /// The kind of disagreement in one word, for programs.
    pub kind: &'static str,
    /// The ply of the statement; `None` for a statement about the result.
    pub ply: Option<usize>,
    /// The disagreement as a sentence.
    pub message: String,
    /// The wrong and the right numbers of legal moves, if the log states wrong numbers.
    #[serde(flatten)]
    pub counts: Option<WrongMoveCounts>,
}

/// Wrong and right numbers of legal moves, each for the first and the second player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrongMoveCounts {
    /// The numbers that the log states.
    pub logged: [u64; 2],
    /// The numbers that the rules give.
    pub counted: [u64; 2],
}

impl From<Game> for CheckedGame {
    /// Sets the winner by the rules if the side to move has no legal move. If `game` names another
    /// winner, adds a disagreement.
    fn from(game: Game) -> CheckedGame {
        let (named, by_rules) = (game.winner(), game.position().winner());
        let mut checked = CheckedGame { game, disagreements: Vec::new(), agreed_counts: 0 };
        if let Some(winner) = by_rules.filter(|_| by_rules != named) {
            checked.game.end = Some(GameEnd::new(winner, EndKind::NoMove));
            if let Some(named) = named {
                checked.disagree_on_winner(named);
            }
        }
        checked
    }
}

/// Replays a match from every start position. Returns the replay that agrees best with the log.
pub(super) fn verify(log: &MatchLog) -> CheckedGame {
    let replays = Start::positions().map(|(_, start)| replay(start, log));
    // Of equally good replays the first one is taken; `max_by_key` would return the last one.
    let best = replays.reduce(|best, other| if agreement(&other) > agreement(&best) { other } else { best });
    let mut best = best.unwrap_or_else(|| unreachable!("no start position is known"));
    best.game.players.clone_from(&log.players);
    best.game.event.clone_from(&log.id);
    best
}

/// Rates how well a replay agrees with its log; larger is better. The first value is true if there
/// is no disagreement. The second value is a score: 2 for each legal ply, 1 for each output of the
/// judge with the right numbers of legal moves, and -1 for each disagreement.
fn agreement(checked: &CheckedGame) -> (bool, i64) {
    let (plies, counts) = (checked.game.plies().len() as i64, checked.agreed_counts as i64);
    let wrong = checked.disagreements.len() as i64;
    (wrong == 0, 2 * plies + counts - wrong)
}

/// The error of a replay that cannot continue, because the log contradicts the rules.
struct ReplayStopped;

fn replay(start: Position, log: &MatchLog) -> CheckedGame {
    let mut checked = CheckedGame::from(Game::new(start));
    checked.game.end = checked.replay_turns(log).unwrap_or_else(|ReplayStopped| {
        let winner = log.finish.as_ref().and_then(form::winner);
        winner.map(|winner| GameEnd::new(winner, EndKind::Disputed))
    });
    checked
}

impl CheckedGame {
    fn last_move(&self) -> Coordinates {
        self.game.plies().last().map_or(Coordinates::NONE, |ply| ply.played.into())
    }

    fn replay_turns(&mut self, log: &MatchLog) -> Result<Option<GameEnd>, ReplayStopped> {
        let mut failure: Option<GameEnd> = None;
        for (index, (request, answer)) in log.turns.iter().enumerate() {
            if let Some(end) = failure {
                let (loser, action) = (!end.winner, words::loser_action(&end, Language::English));
                self.disagree_at_ply(
                    "forgiven",
                    format!("the log goes on although the {loser} player {action}"),
                );
                return Err(ReplayStopped);
            }
            failure = self.replay_turn(request, answer.as_ref(), index + 1 == log.turns.len())?;
        }
        match &log.finish {
            Some(finish) => self.compare_finish(log, finish, failure).map(Some),
            None => Ok(failure.or_else(|| self.end_by_rules())),
        }
    }

    /// Replays one request and its answer. Returns the end of the game if the player failed.
    fn replay_turn(
        &mut self,
        request: &Value,
        answer: Option<&(Side, Value)>,
        is_last: bool,
    ) -> Result<Option<GameEnd>, ReplayStopped> {
        let to_move = self.game.position().to_move();
        self.compare_counts_and_move(form::legal_move_counts(request), form::stated_last_move(request));
        if let Some(winner) = self.game.position().winner() {
            let ply = self.game.plies().len();
            let won = format!("by the rules the {winner} player had won after ply {ply}");
            self.disagree_at_ply("went-on", format!("the log goes on, but {won}"));
            return Err(ReplayStopped);
        }
        let other = "by the rules it is the other player's turn";
        if let Some(asked) = form::asked_side(request).filter(|&asked| asked != to_move) {
            self.disagree_at_ply("asked", format!("the log asks the {asked} player, but {other}"));
        }
        match answer {
            // Only the last request of a log may have no answer.
            None if is_last => return Ok(None),
            None => {
                self.disagree_at_ply(
                    "skipped",
                    format!("the log goes on without an answer of the {to_move} player"),
                );
            }
            Some((side, _)) if *side != to_move => {
                self.disagree_at_ply("answered", format!("the {side} player answers, but {other}"));
            }
            Some((_, answer)) => return Ok(self.play_answer(answer)),
        }
        Err(ReplayStopped)
    }

    /// Plays an answer. Returns the end of the game if the answer is no legal move.
    fn play_answer(&mut self, answer: &Value) -> Option<GameEnd> {
        let facts = form::facts(answer);
        let winner = !self.game.position().to_move();
        let lost = |kind, detail| GameEnd {
            detail: Some(detail),
            turn: facts.clone(),
            ..GameEnd::new(winner, kind)
        };
        let verdict = form::verdict(answer);
        if verdict != "OK" {
            let kind = VERDICTS.iter().find(|(word, _)| *word == verdict);
            return Some(lost(kind.map_or(EndKind::Forfeit, |&(_, kind)| kind), verdict));
        }
        let numbers = match form::reply(answer) {
            Ok(numbers) => numbers,
            Err(got) => return Some(lost(EndKind::Malformed, got)),
        };
        let illegal = match numbers.full_move() {
            None => format!("{numbers}: not squares of a board"),
            Some(played) => {
                let ply = PlayedMove { played, facts: facts.clone() };
                format!("{played}: {}", self.game.play(ply).err()?)
            }
        };
        Some(GameEnd { answered: Some(numbers), ..lost(EndKind::IllegalMove, illegal) })
    }

    /// Compares the judge's output `finish` with the replay. Returns the end of the game.
    fn compare_finish(
        &mut self,
        log: &MatchLog,
        finish: &Value,
        failure: Option<GameEnd>,
    ) -> Result<GameEnd, ReplayStopped> {
        let unanswered = log.turns.last().is_some_and(|(_, answer)| answer.is_none());
        let display = &finish["display"];
        let end = match (failure, display["err"].as_str().map(excerpt)) {
            (Some(failure), error) => {
                self.compare_failure(&failure, error.as_deref(), log, finish);
                Some(failure)
            }
            (None, None) => {
                self.compare_counts_and_move(form::legal_move_counts(finish), form::coordinates(display));
                self.end_by_rules()
            }
            // The log lacks the loser's answer. Only the judge's error text explains the loss.
            (None, Some(error)) if unanswered => {
                let end = GameEnd::new(!self.game.position().to_move(), EndKind::Forfeit);
                Some(GameEnd { detail: Some(error), ..end })
            }
            (None, Some(_)) if self.game.plies().is_empty() => self.end_by_rules(),
            (None, Some(error)) => {
                let refusal = format!("the log's judge refuses the move {} ({error})", self.last_move());
                self.disagree_after_ply("refused", format!("{refusal}, but by the rules it is legal"));
                return Err(ReplayStopped);
            }
        };
        let Some(end) = end else {
            let to_move = self.game.position().to_move();
            let moves = self.game.position().count_legal_moves(to_move);
            let rules = format!("by the rules the {to_move} player has {moves} legal moves");
            self.disagree_after_ply("ended-early", format!("the log ends the match, but {rules}"));
            return Err(ReplayStopped);
        };
        let expected = Side::BOTH.map(|side| if side == end.winner { 2.0 } else { 0.0 });
        if let Some(named) = form::winner(finish).filter(|&named| named != end.winner) {
            self.disagree_on_winner(named);
        } else if let Some([first, second]) = form::scores(finish).filter(|&scores| scores != expected) {
            let scores = format!("the log gives the scores {first:.0} and {second:.0}");
            let message = format!("{scores}: expected 2 for the winner and 0 for the loser");
            self.disagree("scores", None, message);
        }
        Ok(end)
    }

    fn compare_failure(&mut self, end: &GameEnd, error: Option<&str>, log: &MatchLog, finish: &Value) {
        let verdict = error.and_then(|error| error.strip_prefix(FAILED_PROGRAM));
        let answer = log.turns.get(self.game.plies().len()).and_then(|(_, answer)| answer.as_ref());
        let word = answer.map(|(_, answer)| form::verdict(answer)).filter(|word| word != "OK");
        let agrees = match end.answered.and_then(Coordinates::full_move) {
            _ if word.is_some() => verdict == word.as_deref(),
            Some(_) => error == Some(INVALID_MOVE),
            // For an answer without a move, the judge reports an illegal move or a failed program.
            None => error == Some(INVALID_MOVE) || verdict.is_some(),
        };
        if !agrees {
            let (got, loser) = (error.unwrap_or("nothing"), !end.winner);
            let (reason, action) = ("as the reason of the end", words::loser_action(end, Language::English));
            self.disagree_at_ply(
                "reason",
                format!("the log gives {got} {reason}, but the {loser} player {action}"),
            );
        }
        if word.is_some() {
            // Counts after an illegal move are not compared: see `form::legal_move_counts`.
            self.compare_counts_and_move(form::legal_move_counts(finish), None);
        }
    }

    fn end_by_rules(&self) -> Option<GameEnd> {
        self.game.position().winner().map(|winner| GameEnd::new(winner, EndKind::NoMove))
    }

    /// Compares two statements of the judge with the replay: the numbers of legal moves, `counts`,
    /// and the last move, `shown`.
    fn compare_counts_and_move(&mut self, counts: Option<[u64; 2]>, shown: Option<Coordinates>) {
        if let Some(logged) = counts {
            let counted = Side::BOTH.map(|side| self.game.position().count_legal_moves(side));
            if logged == counted {
                self.agreed_counts += 1;
            } else {
                let log =
                    format!("{} legal moves of the first player and {} of the second", logged[0], logged[1]);
                let rules = format!("the right numbers are {} and {}", counted[0], counted[1]);
                let disagreement =
                    self.disagree_after_ply("counts", format!("the log counts {log}, but {rules}"));
                disagreement.counts = Some(WrongMoveCounts { logged, counted });
            }
        }
        let last = self.last_move();
        if let Some(shown) = shown.filter(|&shown| shown != last) {
            let judge = format!("the log's judge states {shown} as the last move");
            self.disagree_after_ply("passed-on", format!("{judge}, but {last} was answered"));
        }
    }

    fn disagree(&mut self, kind: &'static str, ply: Option<usize>, message: String) -> &mut Disagreement {
        self.disagreements.push_mut(Disagreement { kind, ply, message, counts: None })
    }

    fn disagree_on_winner(&mut self, named: Side) {
        let rules = "by the rules the other player won";
        let message = format!("the record names the {named} player as the winner, but {rules}");
        self.disagree("winner", None, message);
    }

    fn disagree_at_ply(&mut self, kind: &'static str, message: String) {
        let ply = self.game.plies().len() + 1;
        self.disagree(kind, Some(ply), format!("ply {ply}: {message}"));
    }

    fn disagree_after_ply(&mut self, kind: &'static str, message: String) -> &mut Disagreement {
        let ply = self.game.plies().len();
        self.disagree(kind, Some(ply), format!("after ply {ply}: {message}"))
    }
}

#[cfg(test)]
mod tests;
