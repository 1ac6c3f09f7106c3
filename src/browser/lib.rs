//! Answers the questions of [`quiver_analysis`] in a browser. Questions and answers are JSON texts.
//!
//! [`Analyst`] works on any platform. On WebAssembly, `exports.rs` exports a function for each kind
//! of question.

#[cfg(target_family = "wasm")]
mod exports;

use std::sync::Arc;
use std::time::Duration;

use quiver_analysis::{
    Defaults, FieldError, KeptEngine, Query, Refusal, catalogue, choose_move, formats, game, read_query,
    review_points, save, search_turn,
};
use quiver_engine::{EngineOptions, Limits, StopHandle};
use serde::Serialize;

/// The largest size of a search tree in bytes. The tree and the engine's tables together fit into
/// the 128 MB that a phone allows a page.
const TREE_BYTES: usize = 32 << 20;

/// The longest time of a position's search, as in `quiver serve`.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(600);

/// The number of squares along a side of the board, if a question does not state it.
const BOARD: usize = 10;

/// A function that receives an answer as JSON. It returns false to end the question's searches.
pub type AnswerCallback<'a> = &'a mut dyn FnMut(&str) -> bool;

/// The kind of a question that a page asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Asks for the levels, exercises and start positions, which a page loads first.
    Catalogue,
    /// Asks for the positions of a game, which is given by its moves or as text.
    Game,
    /// Asks for a game as text, for instance as SGF.
    Save,
    /// Asks how much winning chance each move lost. The question contains moves and search results.
    Review,
    /// Asks for the move that a player of a given strength level plays.
    Move,
    /// Asks for searches of positions, with answers during each search.
    Analyze,
}

/// Answers questions one after the other, and keeps the tree of the last search.
///
/// ```
/// use quiver_browser::{Analyst, Question};
/// use quiver_engine::StopHandle;
///
/// let mut answers = Vec::new();
/// let question = br#"{"id":"a","boardXSize":8,"moves":"c1-c3/c5","maxVisits":50}"#;
/// Analyst::default().answer(Question::Analyze, question, &StopHandle::default(), &mut |answer| {
///     answers.push(answer.to_owned());
///     true
/// });
/// assert!(answers[0].contains(r#""turnNumber":1"#));
/// ```
#[derive(Debug)]
pub struct Analyst {
    defaults: Defaults,
    kept: Option<KeptEngine>,
}

impl Default for Analyst {
    fn default() -> Analyst {
        let engine = EngineOptions { memory: TREE_BYTES, threads: 1, ..EngineOptions::default() };
        Analyst { defaults: Defaults { engine, board: BOARD, limits: Limits::default() }, kept: None }
    }
}

impl Analyst {
    /// Answers a question. A search ends if `stop` is signalled, or if `callback` returns false.
    pub fn answer(
        &mut self,
        question: Question,
        text: &[u8],
        stop: &StopHandle,
        callback: AnswerCallback<'_>,
    ) {
        let board = self.defaults.board;
        match question {
            Question::Catalogue => write_answer_or_error(catalogue(board), callback),
            Question::Game => write_answer_or_error(game(text, board, formats::read), callback),
            Question::Save => write_answer_or_error(save(text, board), callback),
            Question::Review => write_answer_or_error(review_points(text), callback),
            Question::Move => write_answer_or_error(choose_move(text, &self.defaults), callback),
            Question::Analyze => match read_query(text, &self.defaults, MAX_SEARCH_TIME) {
                Ok(query) => self.search(&Arc::new(query), stop, callback),
                Err(error) => write_answer_or_error(Err::<(), _>(error), callback),
            },
        }
    }

    fn search(&mut self, query: &Arc<Query>, stop: &StopHandle, callback: AnswerCallback<'_>) {
        for &turn_number in &query.turns {
            let kept = self.kept.take().filter(|kept| kept.reusable_plies(query, turn_number).is_some());
            let mut is_read = |answer| write(&answer, callback);
            let (answer, engine) = search_turn(query, turn_number, kept, stop.clone(), &mut is_read);
            self.kept = Some(engine);
            if !write(&answer, callback) || stop.is_stopped() {
                return;
            }
        }
    }
}

fn write_answer_or_error(answer: Result<impl Serialize, FieldError>, callback: AnswerCallback<'_>) {
    match answer {
        Ok(answer) => write(&answer, callback),
        Err(error) => write(&Refusal::new(None, &error), callback),
    };
}

fn write(answer: &impl Serialize, callback: AnswerCallback<'_>) -> bool {
    // Answers have string keys and finite numbers, so they always serialise.
    serde_json::to_string(answer).is_ok_and(|text| callback(&text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns the answers to a question. After `most` answers the callback returns false.
    fn ask(analyst: &mut Analyst, question: Question, text: &Value, most: usize) -> Vec<Value> {
        let mut answers = Vec::new();
        analyst.answer(question, text.to_string().as_bytes(), &StopHandle::default(), &mut |answer| {
            answers.push(serde_json::from_str(answer).unwrap());
            answers.len() < most
        });
        answers
    }

    fn one(question: Question, text: Value) -> Value {
        let mut answers = ask(&mut Analyst::default(), question, &text, 9);
        assert_eq!(answers.len(), 1);
        answers.remove(0)
    }

    #[test]
    fn every_question_has_an_answer() {
        let game = json!({"boardXSize": 6, "moves": ["b1-b4/b5"]});
        assert_eq!(one(Question::Catalogue, json!({}))["levels"].as_array().unwrap().len(), 14);
        assert_eq!(one(Question::Game, json!({"game": game}))["moves"], game["moves"]);
        let text = one(Question::Save, json!({"game": game, "form": "sgf"}));
        assert_eq!(one(Question::Game, text)["moves"], game["moves"]);
        let point = json!({"currentPlayer": "B", "winrate": 0.5});
        assert_eq!(one(Question::Review, json!({"points": [point]}))["plies"], json!([]));
        assert!(one(Question::Move, json!({"game": game, "level": 1}))["move"].is_string());
    }

    #[test]
    fn wrong_field_is_named() {
        for (question, text, field) in [
            (Question::Game, json!({"text": "no game"}), "text"),
            (Question::Analyze, json!({"id": "a", "maxVisits": 0}), "maxVisits"),
            (Question::Analyze, json!({"id": "a", "komi": 7}), "komi"),
            (Question::Analyze, json!({"id": "a", "action": "terminate_all"}), "action"),
        ] {
            assert_eq!(one(question, text)["field"], field);
        }
    }

    #[test]
    fn later_query_continues_from_tree() {
        let mut analyst = Analyst::default();
        let query = json!({"id": "a", "boardXSize": 6, "maxVisits": 50, "reuse": true});
        assert_eq!(ask(&mut analyst, Question::Analyze, &query, 9)[0]["reused"], 0);
        let reused = ask(&mut analyst, Question::Analyze, &query, 9)[0]["reused"].clone();
        assert_eq!(reused, 50);
    }

    #[test]
    fn search_ends_with_its_reader() {
        let query = json!({"id": "a", "boardXSize": 6, "maxVisits": 10, "moves": "b1-b4/b5 a5-a4/a3",
            "analyzeTurns": "all"});
        assert_eq!(ask(&mut Analyst::default(), Question::Analyze, &query, 9).len(), 3);
        assert_eq!(ask(&mut Analyst::default(), Question::Analyze, &query, 2).len(), 2);
        let endless = json!({"id": "a", "reportDuringSearchEvery": 0.05});
        let answers = ask(&mut Analyst::default(), Question::Analyze, &endless, 1);
        assert_eq!(answers[1]["stop"], "stopped");
    }
}
