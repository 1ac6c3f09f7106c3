//! Defects, which are a bot's breaches of the judge's rules, and the messages that describe them.

use std::time::Duration;

use amazons::{HalfMove, Move, PlayError, Position, Side, Square, SquareContent};
use quiver_bot::Coordinates;
use serde::{Serialize, Serializer};

use super::Scenario;
use crate::contest::{Evidence, KILL_DELAY, TurnResult, Usage};
use crate::games::{EndKind, Game};
use crate::words::{self, Language};

const MAX_DEBUG_BYTES: usize = 1 << 10;

const MAX_DATA_BYTES: usize = 100 << 10;

/// A turn may exceed its limit of CPU time by this much: two ticks of the system's CPU clock.
const CPU_TOLERANCE: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Defect {
    pub kind: DefectKind,
    pub loses: bool,
    pub count: u64,
    /// The kind of the game in which the defect was first observed.
    pub scenario: Scenario,
    /// The number of the bot's turn in which the defect was first observed, from 1.
    pub turn: usize,
    pub message: String,
    #[serde(flatten)]
    pub evidence: Evidence,
    pub answer: String,
    /// The game before turn `turn`. JSON has the last position and the moves of this game.
    #[serde(flatten, serialize_with = "write_game")]
    pub game: Option<Game>,
    /// The bot's answer of six numbers, if the numbers are not a legal move.
    pub answered: Option<Coordinates>,
    pub cause: Option<Cause>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Cause {
    /// A text that identifies the cause. Defects with the same kind and key count as one defect.
    #[serde(skip)]
    pub key: String,
    /// The cause as a sentence for users, without a full stop.
    pub sentence: String,
}

fn write_game<S: Serializer>(game: &Option<Game>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct PositionAndMoves<'a> {
        position: &'a Position,
        moves: Vec<Move>,
    }
    let before =
        game.as_ref().map(|game| PositionAndMoves { position: game.position(), moves: game.moves() });
    before.serialize(serializer)
}

impl Defect {
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
            game: None,
            answered: None,
            cause: None,
        }
    }

    pub(super) fn is_same(&self, other: &Defect) -> bool {
        let key = |defect: &Defect| defect.cause.as_ref().map(|cause| cause.key.clone());
        self.kind == other.kind && key(self) == key(other)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DefectKind {
    /// A turn's wall time exceeded the time limit by at most one second, which the judge allows.
    Slow,
    /// A process that the bot started still runs after the bot has ended.
    LeftBehind,
    /// The bot changes its moves, or fails, only while another match runs at the same time.
    Leak,
    /// A fault that loses the match. If `debug` or stored data is too long, the fault is `Output`.
    #[serde(untagged)]
    Fault(#[serde(serialize_with = "write_fault")] EndKind),
}

/// Writes an exceeded time limit as `late`, and any other fault as match records write it.
fn write_fault<S: Serializer>(kind: &EndKind, serializer: S) -> Result<S::Ok, S::Error> {
    if *kind == EndKind::Time { "late".serialize(serializer) } else { kind.serialize(serializer) }
}

impl DefectKind {
    /// A turn took more CPU time than its limit, or over one second more wall time than its limit.
    pub(super) const LATE: DefectKind = DefectKind::Fault(EndKind::Time);

    pub(super) const ILLEGAL: DefectKind = DefectKind::Fault(EndKind::IllegalMove);

    pub(crate) fn words(self, language: Language) -> &'static str {
        let [english, chinese] = match self {
            DefectKind::Slow => ["slow in wall time", "实际用时偏长"],
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

/// Returns the kind and message of each defect in a turn's time, memory, output size or processes.
pub(super) fn turn_defects(
    turn: &TurnResult,
    limit: Duration,
    most_memory: u64,
    language: Language,
) -> Vec<(DefectKind, String)> {
    let Usage { wall, cpu, memory, left_behind } = turn.usage;
    let late = cpu > limit + CPU_TOLERANCE || wall > limit + KILL_DELAY;
    let [seconds, by_wall, most, kill_delay] = [cpu, wall, limit, KILL_DELAY].map(|time| time.as_secs_f64());
    let times = language.pick(
        format!("{seconds:.2} s of CPU time and {by_wall:.2} s of wall time: expected at most {most:.2} s"),
        format!("CPU 时间 {seconds:.2} 秒，实际用时 {by_wall:.2} 秒，限时 {most:.2} 秒"),
    );
    let slow = language.pick(
        format!("{times}; the judge ends the turn only {kill_delay:.0} s of wall time after this limit"),
        format!("{times}；裁判的强制终止再晚 {kill_delay:.0} 秒"),
    );
    let [resident, allowed] = [memory, most_memory].map(|bytes| bytes >> 20);
    let resident = language.pick(
        format!("{resident} MiB of resident memory: expected at most {allowed}"),
        format!("占用内存 {resident} MiB，上限 {allowed} MiB"),
    );
    let outlives = language.pick(
        "a process that the bot started still runs after the bot has ended",
        "程序结束后，它启动的进程仍在运行",
    );
    let mut all = vec![(late, DefectKind::LATE, times), (wall > limit && !late, DefectKind::Slow, slow)];
    let names = [("debug", MAX_DEBUG_BYTES), ("data", MAX_DATA_BYTES), ("globaldata", MAX_DATA_BYTES)];
    let over = names.into_iter().zip(turn.extras).filter(|((_, most), bytes)| bytes > most);
    let over = over.map(|((name, most), bytes)| {
        language.pick(
            format!("{bytes} bytes of {name}: expected at most {most}"),
            format!("{name} 有 {bytes} 字节，上限 {most}"),
        )
    });
    let over = over.collect::<Vec<_>>().join("; ");
    all.push((!over.is_empty(), DefectKind::Fault(EndKind::Output), over));
    all.push((memory > most_memory, DefectKind::Fault(EndKind::Memory), resident));
    all.push((left_behind, DefectKind::LeftBehind, outlives.to_owned()));
    all.into_iter().filter(|(holds, ..)| *holds).map(|(_, kind, message)| (kind, message)).collect()
}

/// Says why the numbers that a bot answered are not a legal move.
pub(super) fn illegal_move_reason(game: &Game, answered: Coordinates, language: Language) -> String {
    let off_board = || {
        language.pick(format!("{answered}: not squares of the board"), format!("{answered} 不是棋盘上的格子"))
    };
    let Some(full) = answered.full_move() else { return off_board() };
    match game.position().play(full) {
        Err(PlayError::NotOwn { square, .. }) => {
            let content = content(game, square, language);
            language.pick(
                format!("{full} begins on a square without an amazon of the bot: {content}"),
                format!("{full} 的起点没有己方皇后：{content}"),
            )
        }
        Err(PlayError::Blocked { half_move, from, obstacle, .. }) => {
            let to = half_move.target();
            let mover = match half_move {
                HalfMove::Queen(_) => {
                    language.pick(format!("the amazon on {from}"), format!("{from} 的皇后"))
                }
                HalfMove::Arrow(_) => {
                    language.pick(format!("the arrow from {from}"), format!("从 {from} 射出的箭"))
                }
            };
            let why = match obstacle {
                Some((square, _)) => content(game, square, language),
                None => language.pick(
                    format!("no line leads from {from} to {to}"),
                    format!("{from} 与 {to} 不在一条直线上"),
                ),
            };
            language.pick(
                format!("{full}: {mover} does not reach {to}: {why}"),
                format!("{full}：{mover}到不了 {to}：{why}"),
            )
        }
        _ => off_board(),
    }
}

/// Describes the content of a square and the ply that put this content there.
fn content(game: &Game, square: Square, language: Language) -> String {
    let (now, own) = (game.position().content(square), game.position().to_move());
    let name = format!("{square} (x={}, y={})", square.x(), square.y());
    let before = game.positions().iter().rposition(|earlier| earlier.content(square) != now);
    let since = match before.map(|ply| ply + 1) {
        Some(ply) => language.pick(format!("since ply {ply}"), format!("从第 {ply} 步起")),
        None => language.pick("since the start", "从开局起").to_owned(),
    };
    let whose = |side: Side| match side == own {
        true => language.pick("the bot's own", "己方"),
        false => language.pick("the opponent's", "对方"),
    };
    let what = match (now, before) {
        (Some(SquareContent::Amazon(side)), _) => {
            language.pick(format!("{} amazon", whose(side)), format!("{}皇后", whose(side)))
        }
        (Some(SquareContent::Burnt), Some(ply)) => {
            let shooter = whose(game.positions()[ply].to_move());
            language.pick(format!("{shooter} arrow"), format!("{shooter}的箭"))
        }
        (Some(SquareContent::Burnt), None) => language.pick("an arrow", "箭").to_owned(),
        _ => language.pick("nothing", "空格").to_owned(),
    };
    language.pick(format!("{name} holds {what} {since}"), format!("{name} {since}是{what}"))
}
