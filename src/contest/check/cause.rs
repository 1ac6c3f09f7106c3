//! Likely causes of defects, in words for the bot's author.

use crate::botzone::request::Form;
use crate::contest::fault::PlayerFault;
use crate::contest::program::wire;
use crate::game::{Coordinates, EndKind, Game, Language, SquareContent};
use crate::messages::excerpt;

/// Looks for the likely cause of a fault in the turn after `game`: a sentence without its full stop.
pub(super) fn find(
    game: &Game,
    fault: &PlayerFault,
    form: Form,
    output: &str,
    standard_error: &str,
    language: Language,
) -> Option<String> {
    let of = |english: &str, chinese: &str| Some(language.pick(english, chinese).to_owned());
    match fault.reason {
        EndKind::IllegalMove => of_illegal(game, fault.answered?, language),
        EndKind::Malformed => {
            let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
            let stray = excerpt(lines().find(|line| wire::read(form, line).is_err())?, 80);
            let answers = lines().any(|line| wire::read(form, line).is_ok());
            answers.then(|| match language {
                Language::English => {
                    format!("your bot printed `{stray}` beside its answer; print one line only")
                }
                Language::Chinese => format!("程序在答案之外还输出了 `{stray}`；只应输出一行"),
            })
        }
        EndKind::Crash if fault.detail.contains("segmentation fault") => {
            of("segmentation fault: it used memory that is not its own", "段错误：访问了不属于它的内存")
        }
        EndKind::Crash => {
            let last = standard_error.lines().rev().find(|line| !line.trim().is_empty())?;
            let last = excerpt(last.trim(), 120);
            let begin = language.pick("its standard error ends with", "标准错误的最后一行是");
            Some(format!("{begin} `{last}`"))
        }
        EndKind::Stall if fault.silent => of(
            "it may wait for the end of its input, which stays open, or not flush its answer",
            "它可能在等待输入结束（输入保持打开），或者没有刷新输出缓冲区 (flush)",
        ),
        EndKind::Stall => of(
            "after its answer it must end, or print the line that asks to be kept",
            "给出答案后它必须退出，或输出请求保持运行的那一行",
        ),
        _ => None,
    }
}

fn of_illegal(game: &Game, answered: Coordinates, language: Language) -> Option<String> {
    let [x0, y0, x1, y1, x2, y2] = answered.0;
    let exchanged = Coordinates([y0, x0, y1, x1, y2, x2]).full_move();
    if let Some(full) = exchanged.filter(|&full| game.position().play(full).is_ok()) {
        let begin = language.pick("with x and y exchanged this move is legal: ", "x 与 y 互换后这步棋合法：");
        return Some(format!("{begin}{full}"));
    }
    let full = answered.full_move()?;
    let mover = game.position().to_move();
    let mut position = *game.start();
    let mut turn = 0;
    for played in game.moves() {
        if position.to_move() == mover {
            turn += 1;
            if position.play(full).is_ok() {
                return Some(match language {
                    Language::English => format!(
                        "this move was legal at its turn {turn}: the bot may ignore the requests and \
                         responses before the last"
                    ),
                    Language::Chinese => {
                        format!("这步棋在它的第 {turn} 回合合法：程序可能忽略了之前的 requests 和 responses")
                    }
                });
            }
        }
        position = position.play_unchecked(played);
    }
    let opponents = game.position().content(full.from) == Some(SquareContent::Amazon(!mover));
    let words = language.pick("the move begins on an amazon of its opponent", "起点是对方的皇后");
    opponents.then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, Start};

    #[test]
    fn each_fault_has_its_likely_cause() {
        let start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        let mut game = Game::new(start);
        let check = |game: &Game, fault: PlayerFault, output: &str, errors: &str, expected: &str| {
            let found = find(game, &fault, Form::Json, output, errors, Language::English);
            let found = found.unwrap_or_default();
            assert!(found.starts_with(expected) && found.is_empty() == expected.is_empty(), "{found}");
        };
        let illegal = |numbers: [i64; 6]| PlayerFault::illegal(Coordinates(numbers), "illegal");
        // c1-c5/f5 is legal; its squares with x and y exchanged are a3-e3/e6.
        let expected = "with x and y exchanged this move is legal: c1-c5/f5";
        check(&game, illegal([0, 2, 4, 2, 4, 5]), "", "", expected);
        check(&game, illegal([0, 5, 7, 5, 6, 5]), "", "", "the move begins on an amazon of its opponent");
        for text in ["c1-c5/f5", "c8-c7/c6"] {
            game.play(text.parse().unwrap()).unwrap();
        }
        check(&game, illegal([2, 0, 4, 2, 4, 3]), "", "", "this move was legal at its turn 1: ");
        let of = |reason, detail: &str| PlayerFault::new(reason, detail);
        let answer = r#"{"response":{"x0":2,"y0":0,"x1":2,"y1":4,"x2":5,"y2":4}}"#;
        let (stray, malformed) = (format!("moves: 1232\n{answer}\n"), of(EndKind::Malformed, ""));
        check(&game, malformed.clone(), &stray, "", "your bot printed `moves: 1232` beside its answer");
        check(&game, malformed, "resign", "", "");
        let errors = "Traceback (most recent call last):\n  File \"bot.py\"\nKeyError: 'x9'\n";
        let crash = of(EndKind::Crash, "ended with status 1");
        check(&game, crash, "", errors, "its standard error ends with `KeyError: 'x9'`");
        let memory = of(EndKind::Crash, "ended by a segmentation fault (signal 11)");
        check(&game, memory, "", errors, "segmentation fault: ");
    }
}
