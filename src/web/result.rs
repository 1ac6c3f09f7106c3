//! How a match ended, for the scripts of pages, which say it in the language of the page.

use serde_json::{Value, json};

use crate::botzone::match_log::{Failure, MatchEnding, MatchLog, Replay};
use crate::messages::printable;

/// What `resultSentence` of `assets/app/describe.js` reads.
#[must_use]
pub fn json(log: &MatchLog, replay: &Replay) -> Value {
    // The loser, the side to move, or the winner by the log.
    let (ending, side) = match &replay.ending {
        MatchEnding::NoMove { loser } => ("noMove", Some(*loser)),
        MatchEnding::Failed { loser, .. } => ("failed", Some(*loser)),
        MatchEnding::Awarded { loser } => ("awarded", Some(*loser)),
        MatchEnding::Open { to_move } => ("open", Some(*to_move)),
        MatchEnding::Disputed { winner } => ("disputed", *winner),
    };
    let failure = match &replay.ending {
        MatchEnding::Failed { failure, .. } => {
            Some(json!({"kind": kind(failure), "detail": failure.to_string()}))
        }
        _ => None,
    };
    json!({
        "names": log.players.each_ref().map(|name| name.as_deref().map(printable)),
        "plies": replay.plies.len(),
        "ending": ending,
        "side": side.map(|side| side.to_string()),
        "failure": failure,
    })
}

fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Program(word) => match word.as_str() {
            "TLE" => "time",
            "RE" => "crash",
            "MLE" => "memory",
            "OLE" => "output",
            "NJ" => "unreadable",
            _ => "other",
        },
        Failure::Unreadable(_) => "unreadable",
        Failure::Missing => "missing",
        Failure::NoSquares(_) | Failure::Illegal { .. } => "illegal",
        Failure::Resigned => "resigned",
        Failure::Judged(_) => "judged",
    }
}
