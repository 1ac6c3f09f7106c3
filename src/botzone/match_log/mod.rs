//! Logs of Botzone matches: read in every form the site hands out, and checked against the rules.
//!
//! From the file inwards: [`source`] finds the matches of a file, `form` turns the JSON of one into
//! a [`MatchLog`], whose entries it reads field by field, and `check` replays it: a [`CheckedGame`]
//! with the contradictions.

mod check;
mod form;
mod source;

use serde_json::Value;

use crate::game::Side;
use crate::messages;
pub use check::{CheckedGame, Disagreement};
pub(crate) use source::read;

/// One match as its log tells it, legal or not.
#[derive(Debug, Default)]
struct MatchLog {
    id: Option<String>,
    players: [Option<String>; 2],
    /// The judge's requests, each with the player who answered it and the answer.
    turns: Vec<(Value, Option<(Side, Value)>)>,
    /// The judge's last word; `None` if the log stops before.
    finish: Option<Value>,
}

fn excerpt(text: &str) -> String {
    messages::excerpt(text, 80)
}
