//! Likely causes of defects, in words for the bot's author.

use crate::botzone::request::Form;
use crate::contest::fault::PlayerFault;
use crate::contest::program::reads_answer;
use crate::game::{Coordinates, EndKind, FullMove, Game, Language, SquareContent};
use crate::messages::excerpt;

/// The likely cause of a turn that brought no legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The move is legal with x and y exchanged.
    Exchanged(FullMove),
    /// The move was legal at an earlier turn of the bot, from 1: it did not follow the game.
    Earlier(usize),
    /// The move begins on an amazon of the opponent.
    Opponents,
    /// A line of the output that is not the answer, beside one that is.
    StrayPrint(String),
    /// A fault in memory.
    SegmentationFault,
    /// The last line of standard error.
    LastWords(String),
    /// Not a byte of output came.
    Silent,
    /// Output came, but the program neither ended nor asked to be kept.
    NoEnd,
}

impl Cause {
    /// Looks for the cause of a fault in the turn after `game`.
    pub(super) fn find(
        game: &Game,
        fault: &PlayerFault,
        form: Form,
        output: &str,
        standard_error: &str,
    ) -> Option<Cause> {
        match fault.reason {
            EndKind::IllegalMove => Cause::of_illegal(game, fault.answered?),
            EndKind::Malformed => {
                let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
                let stray = lines().find(|line| !reads_answer(form, line))?;
                let answers = lines().any(|line| reads_answer(form, line));
                answers.then(|| Cause::StrayPrint(excerpt(stray, 80)))
            }
            EndKind::Crash if fault.detail.contains("segmentation fault") => Some(Cause::SegmentationFault),
            EndKind::Crash => {
                let last = standard_error.lines().rev().find(|line| !line.trim().is_empty())?;
                Some(Cause::LastWords(excerpt(last.trim(), 120)))
            }
            EndKind::Stall if fault.silent => Some(Cause::Silent),
            EndKind::Stall => Some(Cause::NoEnd),
            _ => None,
        }
    }

    fn of_illegal(game: &Game, answered: Coordinates) -> Option<Cause> {
        let [x0, y0, x1, y1, x2, y2] = answered.0;
        let exchanged = Coordinates([y0, x0, y1, x1, y2, x2]).full_move();
        if let Some(full) = exchanged.filter(|&full| game.position().play(full).is_ok()) {
            return Some(Cause::Exchanged(full));
        }
        let full = answered.full_move()?;
        let mover = game.position().to_move();
        let mut position = *game.start();
        let mut turn = 0;
        for played in game.moves() {
            if position.to_move() == mover {
                turn += 1;
                if position.play(full).is_ok() {
                    return Some(Cause::Earlier(turn));
                }
            }
            position = position.play_unchecked(played);
        }
        let opponents = game.position().content(full.from) == Some(SquareContent::Amazon(!mover));
        opponents.then_some(Cause::Opponents)
    }

    /// The cause as a sentence without its full stop.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let english = language == Language::English;
        match self {
            Cause::Exchanged(full) if english => format!("with x and y exchanged this move is legal: {full}"),
            Cause::Exchanged(full) => format!("x 与 y 互换后这步棋合法：{full}"),
            Cause::Earlier(turn) if english => format!(
                "this move was legal at its turn {turn}: the bot may ignore the requests and responses before the last"
            ),
            Cause::Earlier(turn) => {
                format!("这步棋在它的第 {turn} 回合合法：程序可能忽略了之前的 requests 和 responses")
            }
            Cause::Opponents if english => "the move begins on an amazon of its opponent".to_owned(),
            Cause::Opponents => "起点是对方的皇后".to_owned(),
            Cause::StrayPrint(line) if english => {
                format!("your bot printed `{line}` beside its answer; print one line only")
            }
            Cause::StrayPrint(line) => format!("程序在答案之外还输出了 `{line}`；只应输出一行"),
            Cause::SegmentationFault if english => {
                "segmentation fault: it used memory that is not its own".to_owned()
            }
            Cause::SegmentationFault => "段错误：访问了不属于它的内存".to_owned(),
            Cause::LastWords(line) if english => format!("its standard error ends with `{line}`"),
            Cause::LastWords(line) => format!("标准错误的最后一行是 `{line}`"),
            Cause::Silent if english => {
                "it may wait for the end of its input, which stays open, or not flush its answer".to_owned()
            }
            Cause::Silent => {
                "它可能在等待输入结束（输入保持打开），或者没有刷新输出缓冲区 (flush)".to_owned()
            }
            Cause::NoEnd if english => {
                "after its answer it must end, or print the line that asks to be kept".to_owned()
            }
            Cause::NoEnd => "给出答案后它必须退出，或输出请求保持运行的那一行".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, Start};

    #[test]
    fn each_fault_has_its_likely_cause() {
        let start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        let mut game = Game::new(start);
        let find = |game: &Game, fault: &PlayerFault, output: &str, errors: &str| {
            Cause::find(game, fault, Form::Json, output, errors)
        };
        let illegal = |numbers: [i64; 6]| PlayerFault::illegal(Coordinates(numbers), "illegal");
        // c1-c5/f5 is legal; its squares with x and y exchanged are a3-e3/e6.
        let exchanged = find(&game, &illegal([0, 2, 4, 2, 4, 5]), "", "");
        assert_eq!(exchanged, Some(Cause::Exchanged("c1-c5/f5".parse().unwrap())));
        let opponents = find(&game, &illegal([0, 5, 7, 5, 6, 5]), "", "");
        assert_eq!(opponents, Some(Cause::Opponents));
        for text in ["c1-c5/f5", "c8-c7/c6"] {
            game.play(text.parse().unwrap()).unwrap();
        }
        assert_eq!(find(&game, &illegal([2, 0, 4, 2, 4, 3]), "", ""), Some(Cause::Earlier(1)));
        let of = |reason, detail: &str| PlayerFault::new(reason, detail);
        let answer = r#"{"response":{"x0":2,"y0":0,"x1":2,"y1":4,"x2":5,"y2":4}}"#;
        let stray = find(&game, &of(EndKind::Malformed, ""), &format!("moves: 1232\n{answer}\n"), "");
        assert_eq!(stray, Some(Cause::StrayPrint("moves: 1232".to_owned())));
        assert_eq!(find(&game, &of(EndKind::Malformed, ""), "resign", ""), None);
        let errors = "Traceback (most recent call last):\n  File \"bot.py\"\nKeyError: 'x9'\n";
        let traceback = find(&game, &of(EndKind::Crash, "ended with status 1"), "", errors);
        assert_eq!(traceback, Some(Cause::LastWords("KeyError: 'x9'".to_owned())));
        let memory = of(EndKind::Crash, "ended by a segmentation fault (signal 11)");
        assert_eq!(find(&game, &memory, "", errors), Some(Cause::SegmentationFault));
    }
}
