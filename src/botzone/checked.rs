//! A game as its source tells it, and where the source and the rules disagree.

use std::fmt;

use crate::game::{EndKind, Game, GameEnd, Side};

/// A game with the contradictions between its source and the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedGame {
    /// The game, as far as its source can be followed.
    pub game: Game,
    /// Contradictions in the source, in order of plies.
    pub disagreements: Vec<Disagreement>,
    /// Number of the judge's entries whose legal-move counts matched ours.
    pub agreed_counts: usize,
}

/// A statement of a source that the rules contradict. Plies are counted from 1; "after ply 0" is
/// the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Its kind in one word, for programs.
    pub kind: &'static str,
    /// The ply that it is about; `None` where it is about the result.
    pub ply: Option<usize>,
    /// The statements of the source and of the rules.
    pub message: String,
    /// The legal full moves of both sides by the source and by the rules, where they differ.
    pub counts: Option<[[u64; 2]; 2]>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Game> for CheckedGame {
    /// Checks the winner. A game that was played out has the end that the rules say.
    fn from(mut game: Game) -> CheckedGame {
        let named = game.winner();
        let by_rules = game.position().winner();
        if let Some(winner) = by_rules.filter(|&winner| named != Some(winner)) {
            game.end = Some(GameEnd::new(winner, EndKind::NoMove));
        }
        let mut checked = CheckedGame { game, disagreements: Vec::new(), agreed_counts: 0 };
        if let Some(named) = named.filter(|_| by_rules.is_some_and(|winner| named != Some(winner))) {
            checked.disagree_on_winner(named);
        }
        checked
    }
}

impl CheckedGame {
    /// Adds a contradiction about a ply, or about the result.
    pub(crate) fn disagree(
        &mut self,
        kind: &'static str,
        ply: Option<usize>,
        message: String,
    ) -> &mut Disagreement {
        self.disagreements.push_mut(Disagreement { kind, ply, message, counts: None })
    }

    /// Adds that the source names this winner, and the rules the other.
    pub(crate) fn disagree_on_winner(&mut self, named: Side) {
        let message =
            format!("the record names the {named} player as the winner, by the rules it is the other");
        self.disagree("winner", None, message);
    }
}
