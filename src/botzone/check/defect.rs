//! Defects: behaviour of a bot that breaks a rule of the judge, and likely causes for its author.

use std::time::Duration;

use amazons::{Position, SquareContent};
use quiver_bot::Coordinates;
use serde::{Serialize, Serializer};

use super::Scenario;
use crate::botzone::request::Form;
use crate::contest::{ALARM, Evidence, PlayerFault, TurnResult, Usage, read_answer};
use crate::games::{EndKind, Game};
use crate::messages::excerpt;
use crate::words::{self, Language};

const MOST_DEBUG: usize = 1 << 10;

const MOST_DATA: usize = 100 << 10;

/// Twice the resolution of the system's CPU clock.
const CPU_STEP: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Defect {
    pub kind: DefectKind,
    pub loses: bool,
    pub count: u64,
    /// The game in which it was first seen.
    pub scenario: Scenario,
    /// The bot's turn in that game, from 1.
    pub turn: usize,
    pub message: String,
    /// The request, to pipe back into the bot.
    #[serde(flatten)]
    pub evidence: Evidence,
    pub answer: String,
    /// The position before the turn.
    pub position: Option<Position>,
    /// The six numbers of an illegal move.
    pub answered: Option<Coordinates>,
    pub cause: Option<String>,
}

impl Defect {
    /// A defect of which nothing else is known.
    pub(super) fn new(kind: DefectKind, scenario: Scenario, turn: usize, message: String) -> Defect {
        Defect {
            kind,
            loses: !matches!(kind, DefectKind::Slow | DefectKind::LeftBehind),
            count: 1,
            scenario,
            turn,
            message,
            evidence: Evidence::default(),
            answer: String::new(),
            position: None,
            answered: None,
            cause: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DefectKind {
    /// Past its limit by the wall, within the alarm.
    Slow,
    /// A process that outlives its answer.
    LeftBehind,
    /// One match changes what the bot does in another.
    Leak,
    /// Any other fault that loses a match; `debug` and data beyond what the judge keeps are output.
    #[serde(untagged)]
    Fault(#[serde(serialize_with = "write_fault")] EndKind),
}

/// Writes the kind of a fault as its own name, but a late answer's as `late`.
fn write_fault<S: Serializer>(kind: &EndKind, serializer: S) -> Result<S::Ok, S::Error> {
    if *kind == EndKind::Time { "late".serialize(serializer) } else { kind.serialize(serializer) }
}

impl DefectKind {
    /// Late in CPU time, or past the alarm by the wall.
    pub(super) const LATE: DefectKind = DefectKind::Fault(EndKind::Time);

    pub(crate) fn words(self, language: Language) -> &'static str {
        let [english, chinese] = match self {
            DefectKind::Slow => ["slow by the wall", "实际用时偏长"],
            DefectKind::LeftBehind => ["a process left behind", "遗留进程"],
            DefectKind::Leak => ["state that leaks between matches", "对局之间互相影响"],
            DefectKind::LATE => ["late", "超时"],
            DefectKind::Fault(EndKind::Stall) => ["no answer", "没有答案"],
            DefectKind::Fault(EndKind::Memory) => ["too much memory", "内存超限"],
            DefectKind::Fault(kind) => return words::noun(kind, language),
        };
        language.pick(english, chinese)
    }
}

/// Defects of a turn beyond its move, with these limits of time and memory: kinds and observations.
pub(super) fn of_turn(turn: &TurnResult, limit: Duration, most_memory: u64) -> Vec<(DefectKind, String)> {
    let Usage { wall, cpu, memory, left_behind } = turn.usage;
    let late = cpu > limit + CPU_STEP || wall > limit + ALARM;
    let [seconds, by_wall, most, alarm] = [cpu, wall, limit, ALARM].map(|time| time.as_secs_f64());
    let times = format!("{seconds:.2} s of CPU time, {by_wall:.2} s by the wall, limit {most:.2} s");
    let slow = format!("{times}; the judge's alarm is {alarm:.0} s later");
    let resident = format!("{} MiB resident: expected at most {}", memory >> 20, most_memory >> 20);
    let outlives = "a process that it started still runs after it has ended".to_owned();
    let mut all = vec![(late, DefectKind::LATE, times), (wall > limit && !late, DefectKind::Slow, slow)];
    let names = [("debug", MOST_DEBUG), ("data", MOST_DATA), ("globaldata", MOST_DATA)];
    let over = names.into_iter().zip(turn.extras).filter(|((_, most), bytes)| bytes > most);
    let over = over.map(|((name, most), bytes)| format!("{bytes} bytes of {name}: expected at most {most}"));
    let over = over.collect::<Vec<_>>().join("; ");
    all.push((!over.is_empty(), DefectKind::Fault(EndKind::Output), over));
    all.push((memory > most_memory, DefectKind::Fault(EndKind::Memory), resident));
    all.push((left_behind, DefectKind::LeftBehind, outlives));
    all.into_iter().filter(|(holds, ..)| *holds).map(|(_, kind, message)| (kind, message)).collect()
}

/// Looks for the likely cause of a fault in the turn after `game`: a sentence without its full stop.
pub(super) fn cause_of(
    game: &Game,
    fault: &PlayerFault,
    turn: &TurnResult,
    form: Form,
    language: Language,
) -> Option<String> {
    let output = &turn.output;
    let of = |english: &str, chinese: &str| Some(language.pick(english, chinese).to_owned());
    match fault.reason {
        EndKind::IllegalMove => of_illegal(game, fault.answered?, language),
        EndKind::Malformed => {
            let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
            let stray = excerpt(lines().find(|line| read_answer(form, line).is_err())?, 80);
            let answers = lines().any(|line| read_answer(form, line).is_ok());
            answers.then(|| {
                language.pick(
                    format!("your bot printed `{stray}` beside its answer; print one line only"),
                    format!("程序在答案之外还输出了 `{stray}`；只应输出一行"),
                )
            })
        }
        EndKind::Crash if fault.detail.contains("segmentation fault") => {
            of("segmentation fault: it used memory that is not its own", "段错误：访问了不属于它的内存")
        }
        EndKind::Crash => {
            let errors = &turn.evidence.as_ref()?.standard_error;
            let last = errors.lines().rev().find(|line| !line.trim().is_empty())?;
            let last = excerpt(last.trim(), 120);
            let begin = language.pick("its standard error ends with", "标准错误的最后一行是");
            Some(format!("{begin} `{last}`"))
        }
        EndKind::Stall if output.trim_ascii().is_empty() => of(
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
    if let Some(played) = exchanged.filter(|&played| game.position().play(played).is_ok()) {
        let begin = language.pick("with x and y exchanged this move is legal: ", "x 与 y 互换后这步棋合法：");
        return Some(format!("{begin}{played}"));
    }
    let played = answered.full_move()?;
    let mover = game.position().to_move();
    let mut own = game.positions().iter().filter(|position| position.to_move() == mover);
    if let Some(turn) = own.position(|position| position.play(played).is_ok()).map(|earlier| earlier + 1) {
        return Some(language.pick(
            format!(
                "this move was legal at its turn {turn}: the bot may ignore the requests and responses \
                 before the last"
            ),
            format!("这步棋在它的第 {turn} 回合合法：程序可能忽略了之前的 requests 和 responses"),
        ));
    }
    let opponents = game.position().content(played.from) == Some(SquareContent::Amazon(!mover));
    let words = language.pick("the move begins on an amazon of its opponent", "起点是对方的皇后");
    opponents.then(|| words.to_owned())
}
