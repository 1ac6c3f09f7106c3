//! The result of a game as a sentence for people, in English and Chinese.

use super::end::{EndKind, Language};
use super::game::Game;
use super::side::Side;
use crate::messages::{counted, excerpt};

impl Game {
    /// A player by turn order and, if the game has one, by name: `first player`, or `Alice (first)`.
    pub fn player(&self, side: Side, language: Language) -> String {
        let turn = language.pick(["first", "second"], ["先手", "后手"])[side.index()];
        match &self.players[side.index()] {
            Some(name) => language.remark(&excerpt(name, 80), turn),
            None => language.pick(format!("{turn} player"), turn.to_owned()),
        }
    }

    /// The result as one sentence: the winner and the cause.
    pub fn result(&self, language: Language) -> String {
        let count = self.plies().len();
        let (plies, next) = (counted(count, "ply", "plies"), count + 1);
        let player = |side| self.player(side, language);
        let Some(end) = &self.end else {
            let mover = player(self.position().to_move());
            let english = format!("Unfinished: the record stops after {plies}, {mover} to move.");
            return language.pick(english, format!("未结束：记录止于第 {count} 步，轮到{mover}。"));
        };
        let (winner, loser, action) = (player(end.winner), player(!end.winner), end.action(language));
        // A name keeps its letters at the beginning of the sentence.
        let unnamed = ["First player", "Second player"][end.winner.index()];
        let begin = self.players[end.winner.index()].as_ref().map_or(unnamed, |_| &winner);
        if end.kind == EndKind::Disputed {
            let english = format!("Disputed after {plies}: the record names {winner} as the winner.");
            return language.pick(english, format!("{count} 步后有争议：记录称{winner}获胜。"));
        }
        let cause = match end.kind {
            EndKind::NoMove | EndKind::Proven => String::new(),
            EndKind::Unstated => language.pick("the game ended there, and ", "对局到此终止，").to_owned(),
            // The loser gave up, or was at fault, out of turn.
            _ if self.position().to_move() == end.winner => String::new(),
            _ => language.pick(format!("at ply {next} "), format!("第 {next} 步")),
        };
        let english = format!("{begin} won after {plies}: {cause}{loser} {action}.");
        language.pick(english, format!("{count} 步后{winner}获胜：{cause}{loser}{action}。"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameEnd, Position, Size};

    #[test]
    fn every_end_is_said_in_both_languages() {
        let mut game = Game::new(Position::start(Size::square(6).unwrap()).unwrap());
        game.players = [Some("Ada".into()), None];
        assert_eq!(
            game.result(Language::English),
            "Unfinished: the record stops after 0 plies, Ada (first) to move."
        );
        let detail = Some("TLE".to_owned());
        game.end = Some(GameEnd { detail, ..GameEnd::new(Side::Second, EndKind::Time) });
        let said = "Second player won after 0 plies: at ply 1 Ada (first) ran out of time (TLE).";
        assert_eq!(game.result(Language::English), said);
        assert_eq!(game.result(Language::Chinese), "0 步后后手获胜：第 1 步Ada（先手）超时（TLE）。");
        let detail = Some("\u{1b}[31mred\nline".to_owned());
        game.end = Some(GameEnd { detail, ..GameEnd::new(Side::First, EndKind::Resignation) });
        let out_of_turn = "Ada (first) won after 0 plies: second player resigned (\\u{1b}[31mred\\nline).";
        assert_eq!(game.result(Language::English), out_of_turn);
        // Names cannot speak to a terminal.
        game.players[0] = Some("\u{1b}[31mred\n\u{202e} 王".into());
        assert_eq!(game.player(Side::First, Language::English), "\\u{1b}[31mred\\n\\u{202e} 王 (first)");
    }
}
