//! Sentences about games and their ends, in English and Chinese, and the Chinese names of levels.

use std::fmt;

use amazons::Side;
use quiver_bot::messages::{counted, excerpt};
use quiver_engine::players::LEVELS;
use serde::Serialize;

use crate::games::{EndKind, Game, GameEnd};

/// The Chinese names of [`LEVELS`], in the same order.
#[rustfmt::skip]
pub const CHINESE_LEVELS: [&str; LEVELS.len()] = [
    "入门", "新手", "学徒", "休闲", "业余", "常客", "棋社", "稳健", "熟手", "强手", "专家", "大师", "特级大师", "冠军",
];

/// A language of messages for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

/// A text in English and Chinese.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bilingual {
    en: String,
    zh: String,
}

impl Bilingual {
    /// Calls `text` once for each language, and keeps both results.
    pub fn of(text: impl Fn(Language) -> String) -> Bilingual {
        Bilingual { en: text(Language::English), zh: text(Language::Chinese) }
    }
}

impl Language {
    /// Returns `english` or `chinese`, whichever belongs to this language.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        if self == Language::English { english } else { chinese }
    }

    fn remark(self, text: &str, remark: &str) -> String {
        self.pick(format!("{text} ({remark})"), format!("{text}（{remark}）"))
    }
}

/// The texts for each kind of game end: an English noun, the loser's action in English, and one
/// Chinese text that serves as both noun and action.
const END_TEXTS: [(EndKind, [&str; 3]); 13] = [
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

/// All kinds of game ends, in the order in which reports list them.
pub fn end_kinds() -> impl Iterator<Item = EndKind> {
    END_TEXTS.iter().map(|&(kind, _)| kind)
}

fn texts(kind: EndKind) -> [&'static str; 3] {
    let (named, texts) = END_TEXTS[kind as usize];
    debug_assert_eq!(named, kind);
    texts
}

/// The noun for a kind of game end.
pub fn noun(kind: EndKind, language: Language) -> &'static str {
    let [noun, _, chinese] = texts(kind);
    language.pick(noun, chinese)
}

impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(noun(*self, Language::English))
    }
}

/// The loser's action as the last words of a sentence, such as `ran out of time (TLE)`.
pub fn loser_action(end: &GameEnd, language: Language) -> String {
    let [_, english, chinese] = texts(end.kind);
    let action = language.pick(english, chinese);
    let detail = end.detail.as_ref().map(|detail| excerpt(detail, usize::MAX));
    detail.map_or_else(|| action.to_owned(), |detail| language.remark(action, &detail))
}

/// A player's name and side, such as `Alice (first)`; `first player` if the name is unknown.
pub fn player_with_side(game: &Game, side: Side, language: Language) -> String {
    let turn = language.pick(["first", "second"], ["先手", "后手"])[side.index()];
    match &game.players[side.index()] {
        Some(name) => language.remark(&excerpt(name, 80), turn),
        None => language.pick(format!("{turn} player"), turn.to_owned()),
    }
}

/// The result of a game as one sentence, with the winner and the cause.
pub fn result(game: &Game, language: Language) -> String {
    let count = game.len();
    let (plies, next) = (counted(count, "ply", "plies"), count + 1);
    let player = |side| player_with_side(game, side, language);
    let Some(end) = &game.end else {
        let mover = player(game.position().to_move());
        let english = format!("Unfinished: the record stops after {plies}, {mover} to move.");
        return language.pick(english, format!("未结束：记录止于第 {count} 步，轮到{mover}。"));
    };
    let (winner, loser, action) = (player(end.winner), player(!end.winner), loser_action(end, language));
    // The sentence begins with a capital letter, unless it begins with a player's name.
    let unnamed = ["First player", "Second player"][end.winner.index()];
    let begin = game.players[end.winner.index()].as_ref().map_or(unnamed, |_| &winner);
    if end.kind == EndKind::Disputed {
        let english = format!("Disputed after {plies}: the record names {winner} as the winner.");
        return language.pick(english, format!("{count} 步后有争议：记录称{winner}获胜。"));
    }
    let cause = match end.kind {
        EndKind::NoMove | EndKind::Proven => String::new(),
        EndKind::Unstated => language.pick("the game ended there, and ", "对局到此终止，").to_owned(),
        // If the winner was to move when the loser resigned or failed, the sentence names no ply.
        _ if game.position().to_move() == end.winner => String::new(),
        _ => language.pick(format!("at ply {next} "), format!("第 {next} 步")),
    };
    let english = format!("{begin} won after {plies}: {cause}{loser} {action}.");
    language.pick(english, format!("{count} 步后{winner}获胜：{cause}{loser}{action}。"))
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Size};

    use super::*;

    #[test]
    fn results_are_sentences_in_both_languages() {
        let mut game = Game::new(Position::start(Size::square(6).unwrap()).unwrap());
        game.players = [Some("Ada".into()), None];
        assert_eq!(
            result(&game, Language::English),
            "Unfinished: the record stops after 0 plies, Ada (first) to move."
        );
        let detail = Some("TLE".to_owned());
        game.end = Some(GameEnd { detail, ..GameEnd::new(Side::Second, EndKind::Time) });
        let said = "Second player won after 0 plies: at ply 1 Ada (first) ran out of time (TLE).";
        assert_eq!(result(&game, Language::English), said);
        assert_eq!(result(&game, Language::Chinese), "0 步后后手获胜：第 1 步Ada（先手）超时（TLE）。");
        let detail = Some("\u{1b}[31mred\nline".to_owned());
        game.end = Some(GameEnd { detail, ..GameEnd::new(Side::First, EndKind::Resignation) });
        let out_of_turn = "Ada (first) won after 0 plies: second player resigned (\\u{1b}[31mred\\nline).";
        assert_eq!(result(&game, Language::English), out_of_turn);
        // Control characters in names do not reach a terminal.
        game.players[0] = Some("\u{1b}[31mred\n\u{202e} 王".into());
        assert_eq!(
            player_with_side(&game, Side::First, Language::English),
            "\\u{1b}[31mred\\n\\u{202e} 王 (first)"
        );
    }
}
