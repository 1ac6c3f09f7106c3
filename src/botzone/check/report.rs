//! Writes the report of a check as text: its defects, then its games, notes and rating.

use std::time::Duration;

use amazons::Position;
use quiver_bot::Coordinates;

use super::{BotTurns, CheckPlan, CheckReport, Defect, DefectKind};
use crate::contest::PlayerSpec;
use crate::contest::summary::resend_command;
use crate::games::{EndKind, Game};
use crate::words::Language;

/// A request of more than this many bytes is left out of the text report; only JSON has it.
const MAX_PRINTED_REQUEST_BYTES: usize = 16 << 10;

pub(crate) fn summary(report: &CheckReport, language: Language) -> String {
    let mut lines = Vec::new();
    for game in &report.games {
        let (plies, scenario) = (game.plies, game.scenario.text(language));
        let end = match game.turns.defects.iter().find(|defect| defect.loses) {
            Some(defect) => {
                let number = report.defects.iter().position(|known| known.is_same(defect));
                let number = number.map_or(String::new(), |number| format!(" ({})", number + 1));
                let (kind, turn) = (defect.kind.words(language), defect.turn);
                language.pick(
                    format!("{kind}{number} in the bot's turn {turn}"),
                    format!("{kind}{number}，第 {turn} 回合"),
                )
            }
            None => language.pick("played out", "下完").to_owned(),
        };
        let BotTurns { slowest_wall: wall, most_cpu: cpu, most_memory, .. } = game.turns;
        let memory = most_memory >> 20;
        lines.push(language.pick(
            format!(
                "{scenario}: {end}, {plies} plies; at most {wall:.2} s of wall time and {cpu:.2} s of CPU time a turn; {memory} MiB"
            ),
            format!("{scenario}：{end}，{plies} 步；最慢回合 {wall:.2} 秒，CPU {cpu:.2} 秒；{memory} MiB"),
        ));
    }
    let boards: Vec<String> = report.boards.iter().map(|side| format!("{side}x{side}")).collect();
    if !boards.is_empty() {
        let begin = language.pick("the bot plays on ", "它支持的棋盘：");
        lines.push(format!("{begin}{}", boards.join(language.pick(" and ", "、"))));
    }
    let note = language.pick("note: ", "注意：");
    lines.extend(report.notes.iter().map(|text| format!("{note}{text}")));
    lines.push(match report.defects.len() {
        0 => language.pick("no defect found", "没有发现缺陷").to_owned(),
        count => {
            let losing = report.losing_defect_count();
            language.pick(
                format!("defects: {count}, of which {losing} lose matches"),
                format!("缺陷：{count} 个，其中 {losing} 个会输掉对局"),
            )
        }
    });
    if let Some(ladder_rating) = &report.rating {
        lines.push(format!("\n{}", ladder_rating.report(language).trim_end()));
    }
    lines.join("\n") + "\n"
}

/// Returns a defect as text, with a command that shows the defect again. `number` counts the
/// defects from 1.
pub(crate) fn describe(plan: &CheckPlan<'_>, defect: &Defect, number: usize) -> String {
    let language = plan.language;
    let title = defect.kind.words(language).to_uppercase();
    let cause = defect.cause.as_ref().map(|cause| &*cause.sentence);
    let colon = language.pick(": ", "：");
    let mut lines = vec![format!("{number}. {title}{colon}{}", cause.unwrap_or(&defect.message))];
    let (scenario, turn) = (defect.scenario.text(language), defect.turn);
    let place =
        language.pick(format!("{scenario}, bot's turn {turn}"), format!("{scenario}，第 {turn} 回合"));
    let numbers = defect.answered.map(|Coordinates([x0, y0, x1, y1, x2, y2])| {
        format!("x0={x0} y0={y0} x1={x1} y1={y1} x2={x2} y2={y2}")
    });
    let board = defect.game.as_ref().map(|game| board_text(game.position()));
    for (english, chinese, text) in [
        ("", "", &*place),
        ("seen: ", "现象：", cause.map_or("", |_| &defect.message)),
        ("its move: ", "它的走法：", &numbers.unwrap_or_default()),
        ("its answer: ", "它的输出：", &defect.answer),
        ("standard error: ", "标准错误：", &defect.evidence.standard_error),
        ("", "", &board.unwrap_or_default()),
        ("to repeat it: ", "重现：", &repeat_command(plan, defect).unwrap_or_default()),
    ] {
        let begin = language.pick(english, chinese);
        lines.extend(text.trim_end().lines().map(|line| format!("  {begin}{line}")));
    }
    lines.join("\n") + "\n\n"
}

/// Returns a shell command that shows a defect again. If the bot was kept running, the command
/// replays all turns of the game. Otherwise the command sends only the failed request to the bot,
/// and keeps the bot's input open if the bot neither answered nor computed.
fn repeat_command(plan: &CheckPlan<'_>, defect: &Defect) -> Option<String> {
    let played = defect.game.as_ref().filter(|game| !game.is_empty());
    if let Some(game) = played.filter(|_| defect.scenario.kept) {
        return Some(replay_command(plan, game, defect));
    }
    let input = Some(&defect.evidence.input)
        .filter(|input| (1..=MAX_PRINTED_REQUEST_BYTES).contains(&input.len()))?;
    let waits = defect.kind == DefectKind::Fault(EndKind::Stall);
    let open_seconds = waits.then_some(plan.first_time.as_secs() + 1);
    Some(resend_command(input, &shell_words::join(plan.command), open_seconds))
}

fn replay_command(plan: &CheckPlan<'_>, game: &Game, defect: &Defect) -> String {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    let spec = PlayerSpec::bot(defect.scenario.form, plan.command);
    let (moves, spec, board) =
        (moves.join(" "), shell_words::quote(&spec.to_string()).into_owned(), defect.scenario.board);
    let mut command = format!("echo '{moves}' | quiver check {spec} --board {board} --replay -");
    for (option, limit, usual) in
        [("--time", plan.time, Duration::from_secs(1)), ("--first-time", plan.first_time, 2 * plan.time)]
    {
        if limit != usual {
            command += &format!(" {option} {}", limit.as_secs_f64());
        }
    }
    if plan.memory != 256 << 20 {
        command += &format!(" --memory-limit {}M", plan.memory >> 20);
    }
    command
}

/// Returns the board as text. Labels say that Botzone's y = 0 is row 1 and its x = 0 is column a.
fn board_text(position: &Position) -> String {
    let board = format!("{position:#}");
    let (rows, letters) = board.rsplit_once('\n').unwrap_or_default();
    format!("{rows}   y = 0\n{letters}   a: x = 0\n")
}
