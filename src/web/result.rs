//! The result of a game for the scripts of pages, in both languages.

use serde_json::{Value, json};

use crate::game::{Game, Language};
use crate::messages::printable;

pub(super) fn is_known(game: &Game) -> bool {
    game.end.is_some() || game.players.iter().any(Option::is_some)
}

/// The object that `resultSentence` of `assets/app/describe.js` reads.
pub(super) fn json(game: &Game) -> Value {
    let failure = game.end.as_ref().filter(|end| end.kind.is_failure());
    json!({
        "names": game.players.each_ref().map(|name| name.as_deref().map(printable)),
        "sentence": in_both(|language| game.result(language)),
        "failure": failure.map(|end| json!({
            "kind": end.kind,
            "side": !end.winner,
            "action": in_both(|language| end.action(language)),
        })),
    })
}

/// Words in the languages of the page, by the keys that `assets/app/words.js` has for them.
pub(super) fn in_both(words: impl Fn(Language) -> String) -> Value {
    json!({"en": words(Language::English), "zh": words(Language::Chinese)})
}
