//! Describes a bot's fault, and finds its likely cause from the bot's output in the failed turn.

use super::defect::{Cause, illegal_move_reason};
use super::{Defect, DefectKind, Scenario};
use crate::contest::{Evidence, PlayerFault, ProgramExit, Usage, read_answer};
use crate::games::{EndKind, Game};
use crate::messages::excerpt;
use crate::words::Language;
use quiver_bot::Coordinates;

/// The text of a cause quotes at most this many characters of a line that the bot wrote.
const MAX_QUOTED_CHARS: usize = 120;

pub(super) struct FailedTurn<'a> {
    pub scenario: Scenario,
    /// The game before the failed turn.
    pub game: &'a Game,
    pub fault: &'a PlayerFault,
    pub output: &'a str,
    pub evidence: &'a Evidence,
    pub usage: Usage,
}

impl FailedTurn<'_> {
    pub(super) fn defect(&self, language: Language) -> Defect {
        let FailedTurn { game, fault, .. } = *self;
        let (kind, number) = (DefectKind::Fault(fault.reason), game.len() / 2 + 1);
        Defect {
            evidence: self.evidence.clone(),
            answer: self.output.to_owned(),
            game: Some(game.clone()),
            answered: fault.answered,
            cause: self.cause(language),
            ..Defect::new(kind, self.scenario, number, self.message(language))
        }
    }

    /// Describes the fault as a sentence without a full stop.
    fn message(&self, language: Language) -> String {
        if let Some(answered) = self.fault.answered {
            return illegal_move_reason(self.game, answered, language);
        }
        if language == Language::English {
            return self.fault.detail.clone();
        }
        let [wall, cpu] = [self.usage.wall, self.usage.cpu].map(|time| time.as_secs_f64());
        match (self.fault.reason, self.evidence.exit) {
            (EndKind::Malformed, _) => {
                "输出不是走法：JSON 交互应输出 {\"response\":{\"x0\":..}}，简单交互应输出六个整数".to_owned()
            }
            (EndKind::Crash, Some(exit)) => exit.text(language),
            (EndKind::Crash, None) => "程序没有给出答案就结束了".to_owned(),
            (EndKind::Output, _) => "输出超过 1 MiB".to_owned(),
            _ => format!("{wall:.2} 秒内没有完整的答案，使用 CPU 时间 {cpu:.2} 秒"),
        }
    }

    fn cause(&self, language: Language) -> Option<Cause> {
        let of = |key: &str, english: &str, chinese: &str| {
            Some(Cause { key: key.to_owned(), sentence: language.pick(english, chinese).to_owned() })
        };
        match self.fault.reason {
            EndKind::IllegalMove
                if self.fault.answered.is_some_and(|answered| answered.0.iter().all(|&at| at < 0)) =>
            {
                self.no_move_given(language)
            }
            EndKind::Malformed => self.stray_line(language).or_else(|| self.no_move_given(language)),
            EndKind::Crash if self.evidence.exit == Some(ProgramExit::SEGMENTATION_FAULT) => of(
                "segmentation fault",
                "segmentation fault: the bot used memory that is not its own; compile the bot with \
                 -g -fsanitize=address, so that it names the line",
                "段错误：访问了不属于它的内存；用 -g -fsanitize=address 编译可显示出错的行",
            ),
            EndKind::Crash => self.last_error_line(language),
            EndKind::Stall if self.output.trim_ascii().is_empty() => of(
                "silence",
                "the bot may wait for the end of its input, which stays open, or it may not flush its answer",
                "它可能在等待输入结束（输入保持打开），或者没有刷新输出缓冲区 (flush)",
            ),
            EndKind::Stall => of(
                "neither",
                "after its answer the bot must end, or print the line that asks the judge to keep it running",
                "给出答案后它必须退出，或输出请求保持运行的那一行",
            ),
            _ => None,
        }
    }

    fn no_move_given(&self, language: Language) -> Option<Cause> {
        let position = self.game.position();
        let (first, count) =
            (position.legal_moves_iter().next()?, position.count_legal_moves(position.to_move()));
        let numbers = Coordinates::from(first);
        let sentence = language.pick(
            format!("the bot gave no move, but had {count} legal moves, such as {numbers} ({first})"),
            format!("它没有给出走法，但有 {count} 种合法走法，例如 {numbers}（{first}）"),
        );
        Some(Cause { key: "gave up".to_owned(), sentence })
    }

    fn stray_line(&self, language: Language) -> Option<Cause> {
        let lines = || self.output.lines().map(str::trim).filter(|line| !line.is_empty());
        let stray_line = excerpt(lines().find(|line| read_answer(self.scenario.form, line).is_err())?, 80);
        lines().find(|line| read_answer(self.scenario.form, line).is_ok())?;
        let sentence = language.pick(
            format!("your bot printed `{stray_line}` beside its answer; print one line only"),
            format!("程序在答案之外还输出了 `{stray_line}`；只应输出一行"),
        );
        Some(Cause { key: without_numbers(&stray_line), sentence })
    }

    /// Returns the cause of a crash, with the last line of standard error. Two crashes have the
    /// same cause if their tracebacks name the same source line and their last lines differ only in
    /// digits.
    fn last_error_line(&self, language: Language) -> Option<Cause> {
        let lines =
            || self.evidence.standard_error.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        let Some(last) = lines().next() else {
            return self.no_move_given(language).filter(|_| self.evidence.exit.is_none());
        };
        let place = lines().find(|line| line.starts_with("File \"")).unwrap_or_default();
        let (key, last) = (format!("{place} {}", without_numbers(last)), excerpt(last, MAX_QUOTED_CHARS));
        let begin = language.pick("the bot's standard error ends with", "标准错误的最后一行是");
        let place =
            if place.is_empty() { String::new() } else { format!(" ({})", excerpt(place, MAX_QUOTED_CHARS)) };
        Some(Cause { key, sentence: format!("{begin} `{last}`{place}") })
    }
}

fn without_numbers(line: &str) -> String {
    line.chars().filter(|character| !character.is_ascii_digit()).collect()
}
