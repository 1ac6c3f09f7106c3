//! The end of a game: the winner, the cause, the facts of the turn that lost it, and its words for
//! people, in English and Chinese; `result.rs` puts them into a sentence. No other file words an end.

use std::fmt;

use super::moves::Coordinates;
use super::played_move::TurnFacts;
use super::position::Position;
use super::side::Side;
use crate::messages::excerpt;

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameEnd {
    /// The winner.
    pub winner: Side,
    /// The cause.
    pub kind: EndKind,
    /// The number of moves by which the winner was ahead, from 0, where the source says so.
    pub margin: Option<f64>,
    /// The evidence of a fault or a proof, for people.
    pub detail: Option<String>,
    /// The six numbers that the loser answered in place of a legal move.
    pub answered: Option<Coordinates>,
    /// The facts of the loser's last turn, which brought no legal move.
    pub turn: TurnFacts,
}

/// The cause of the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum EndKind {
    /// The loser has no move left.
    NoMove,
    /// The referee's solver proved the winner.
    Proven,
    /// The loser resigned.
    Resignation,
    /// The source names a winner while the loser has moves left, and gives no cause.
    Unstated,
    /// The record contradicts itself or the rules; the winner is the one that it names.
    Disputed,
    /// The loser answered a move that is illegal in the position.
    IllegalMove,
    /// The loser's answer is no move.
    Malformed,
    /// The loser's time ran out.
    Time,
    /// The loser's program ended: by itself, by a signal, or with a status other than 0.
    Crash,
    /// The loser's program stopped working on an answer.
    Stall,
    /// The loser's program used too much memory.
    Memory,
    /// The loser's program wrote too much.
    Output,
    /// Another fault of the loser, or one that the source does not name.
    Forfeit,
}

/// A language of messages for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// The one of two texts that is in this language.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        if self == Language::English { english } else { chinese }
    }

    pub(super) fn remark(self, text: &str, remark: &str) -> String {
        self.pick(format!("{text} ({remark})"), format!("{text}（{remark}）"))
    }
}

/// Every kind with a noun, with what the loser did, and in Chinese, where one text serves as both.
const KINDS: [(EndKind, [&str; 3]); 13] = [
    (EndKind::NoMove, ["no move left", "had no legal move left", "无路可走"]),
    (EndKind::Proven, ["proof", "was proven to lose", "已被证明必败"]),
    (EndKind::Resignation, ["resignation", "resigned", "认输"]),
    (EndKind::Unstated, ["unstated cause", "had moves left", "仍有着法"]),
    (EndKind::Disputed, ["dispute", "lost by the record", "按记录告负"]),
    (EndKind::IllegalMove, ["illegal move", "made an illegal move", "走法违规"]),
    (EndKind::Malformed, ["malformed output", "gave an answer that is no move", "输出无法读取"]),
    (EndKind::Time, ["time", "ran out of time", "超时"]),
    (EndKind::Crash, ["crash", "crashed", "程序崩溃"]),
    (EndKind::Stall, ["stall", "stopped answering", "停止响应"]),
    (EndKind::Memory, ["memory", "ran out of memory", "内存超限"]),
    (EndKind::Output, ["too much output", "wrote too much", "输出过多"]),
    (EndKind::Forfeit, ["forfeit", "was ruled to have lost", "被裁判判负"]),
];

impl GameEnd {
    /// An end of which nothing else is known.
    pub fn new(winner: Side, kind: EndKind) -> GameEnd {
        let turn = TurnFacts::default();
        GameEnd { winner, kind, margin: None, detail: None, answered: None, turn }
    }

    /// A win at `position`: by the rules if the loser is to move and has no move, else for a cause
    /// that the source does not state.
    pub fn at(position: &Position, winner: Side) -> GameEnd {
        let by_rules = position.winner() == Some(winner);
        GameEnd::new(winner, if by_rules { EndKind::NoMove } else { EndKind::Unstated })
    }

    /// The action of the loser, as the rest of a sentence, with the detail in brackets.
    pub fn action(&self, language: Language) -> String {
        let [_, english, chinese] = self.kind.texts();
        let action = language.pick(english, chinese);
        let detail = self.detail.as_ref().map(|detail| excerpt(detail, usize::MAX));
        detail.map_or_else(|| action.to_owned(), |detail| language.remark(action, &detail))
    }
}

impl EndKind {
    /// True if the loser broke a rule of the game or of the match.
    pub fn is_fault(self) -> bool {
        self >= EndKind::IllegalMove
    }

    /// True if the loser lost by a fault, or resigned.
    pub fn is_failure(self) -> bool {
        self.is_fault() || self == EndKind::Resignation
    }

    /// Every kind, in the order of reports.
    pub fn all() -> impl Iterator<Item = EndKind> {
        KINDS.iter().map(|&(kind, _)| kind)
    }

    fn texts(self) -> [&'static str; 3] {
        let (kind, texts) = KINDS[self as usize];
        debug_assert_eq!(kind, self);
        texts
    }

    /// The kind as a noun.
    pub fn noun(self, language: Language) -> &'static str {
        let [noun, _, chinese] = self.texts();
        language.pick(noun, chinese)
    }
}

impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun(Language::English))
    }
}
