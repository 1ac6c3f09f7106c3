//! `quiver check`: lists what Botzone's judge would find in a bot, and rates the bot.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use amazons::Position;
use anyhow::{bail, ensure};
use quiver_bot::Coordinates;

use super::match_games::on_the_ladder;
use super::options::{BoardOptions, expect_writable, parse_memory, parse_seconds, start};
use super::{Failed, interrupt};
use crate::botzone::check::{self, BotTurns, CheckPlan, CheckReport, Defect};
use crate::botzone::request::Form;
use crate::contest::{
    ALARM, Conditions, Contest, ContestError, ContestResults, GameRecord, Openings, Placement, PlayerSpec,
    RunOptions, Sink, spec,
};
use crate::formats::CheckedGame;
use crate::messages::{counted, printable, warn};
use crate::web::match_page::{ShownGame, matches_html};
use crate::words::Language;

const AFTER_HELP: &str = "\
The check plays every form of the judge: JSON and simplified text, one process a turn and kept running, both colours, \
8x8 and 10x10, and two matches at a time. The bot must play the form of SPEC (cmd: JSON, text: simplified text) on \
one board; it may lack the others. Without --board that is 8x8, which the live site plays, if the bot plays it, and \
else 10x10. Its environment has PATH, HOME, LANG, TMPDIR and LD_LIBRARY_PATH only. Then it \
plays --games against players of the shipped ladder, each pair against the one whose measured rating is nearest.

Exit status: 0 if no defect loses a match, 1 if one does, 2 for bad input.";

/// Random plies that games for the rating begin with.
const RANDOM_PLIES: usize = 4;

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, mut_arg("board", |board| board.hide_default_value(true)))]
pub(super) struct Args {
    /// The bot: cmd:COMMAND for JSON, text:COMMAND for simplified interaction
    #[arg(value_name = "SPEC")]
    spec: PlayerSpec,
    #[command(flatten)]
    board: BoardOptions,
    /// The judge's limit of a turn
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "1")]
    time: Duration,
    /// The judge's limit of the first turn of a match [default: twice --time]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// The judge's limit of memory
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, default_value = "256M")]
    memory_limit: usize,
    /// Games for the rating, in pairs; 0 for no rating
    #[arg(long, value_name = "N", default_value_t = 20)]
    games: usize,
    /// The language of the report [default: as LC_ALL, LC_MESSAGES or LANG says]
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "zh"])]
    language: Option<String>,
    /// Write the games as one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Seed of the opponents and of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The language asked for, or else the environment's.
fn language(asked: Option<&str>) -> Language {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    let usual = || names.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let chinese = asked.map_or_else(usual, str::to_owned).starts_with("zh");
    if chinese { Language::Chinese } else { Language::English }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let PlayerSpec::Botzone { form, command } = &args.spec else {
        bail!("'{}': expected a bot for Botzone, cmd:COMMAND or text:COMMAND", args.spec);
    };
    args.board.start()?;
    ensure!(args.games < 10_000, "--games {}: expected less than 10000", args.games);
    expect_writable([("--html", &args.html)])?;
    let interrupt = interrupt::watch("ending; the game in progress is given up")?;
    let run = RunOptions { interrupt, ..RunOptions::default() };
    let plan = CheckPlan {
        command,
        form: *form,
        board: args.board.is_named().then_some(args.board.board),
        time: args.time,
        first_time: args.first_time.unwrap_or(2 * args.time),
        memory: args.memory_limit as u64,
        // Programs read English.
        language: if args.json { Language::English } else { language(args.language.as_deref()) },
        seed: args.seed,
        run: &run,
    };
    let checked = check::check(&plan, |what| tell(&format!("playing: {what}")));
    let mut report = checked.inspect_err(|_| tell(""))?;
    let ended = rate(args.games, &plan, &mut report);
    tell("");
    let interrupted = run.interrupt.is_stopped();
    let note = plan.language.pick("interrupted before its end", "检查在完成之前被中断");
    report.notes.extend(interrupted.then(|| note.to_owned()));
    // The games so far are reported, whatever has ended the command early or cannot be written.
    let page = args.html.as_ref().filter(|_| !report.games.is_empty());
    let written = page.map_or(Ok(()), |path| write_page(path, &report));
    let printed = super::print_result(args.json, &report, || text(&report, command, plan.language));
    ended.and(written)?;
    ensure!(!interrupted, Failed("interrupted".to_owned()));
    let losing = report.losing();
    ensure!(losing == 0, Failed(counted(losing, "defect loses", "defects lose") + " matches"));
    printed
}

/// Tells of the progress: in one line of a terminal, line by line elsewhere.
fn tell(what: &str) {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K{}", printable(what));
    } else if !what.is_empty() {
        warn(what);
    }
}

/// Places a bot without a losing defect on the shipped ladder of the board that it was checked on, if
/// there is one.
fn rate(games: usize, plan: &CheckPlan<'_>, report: &mut CheckReport) -> anyhow::Result<()> {
    let rates = games > 0 && report.losing() == 0 && !plan.run.interrupt.is_stopped();
    let Some(first) = report.games.first().filter(|_| rates) else { return Ok(()) };
    let board = first.scenario.board;
    let unrated = |error: &_| tell(&format!("the bot is not rated: {error}"));
    let Ok(ladder) = spec::shipped_ladder(board).inspect_err(unrated) else { return Ok(()) };
    let (entrants, fixtures, results) = on_the_ladder(plan.bot(plan.form), &ladder, games)?;
    let openings = Openings::random(start(board)?, RANDOM_PLIES, plan.seed)?;
    let conditions = Conditions { grace: ALARM, measured: Some(plan.memory), ..Conditions::default() };
    let mut contest = Contest { entrants, fixtures, openings, conditions, seed: plan.seed, results };
    let ended = contest.run(plan.run, &mut RatedGames { games, form: plan.form, report });
    report.rating = contest.results.placement();
    // A program that started before but not now is no bad input.
    ended.map_err(|error| Failed(error.to_string()).into())
}

/// Takes the games of a bot on the ladder into its report.
struct RatedGames<'a> {
    games: usize,
    form: Form,
    report: &'a mut CheckReport,
}

impl Sink for RatedGames<'_> {
    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError> {
        let (games, placed) = (self.games, results.placement().filter(|_| results.games.is_multiple_of(2)));
        if let Some(Placement { games: done, rating, .. }) = placed {
            tell(&format!("rating: {done} of {games} games, Elo {:.0} +/- {:.0}", rating.elo, rating.error));
        }
        self.report.take_rated(self.form, game.clone());
        Ok(())
    }
}

fn text(report: &CheckReport, command: &[String], language: Language) -> String {
    let say = |english: &'static str, chinese| language.pick(english, chinese);
    let mut lines = Vec::new();
    for game in &report.games {
        let (plies, scenario) = (game.plies, game.scenario.text(language));
        let end = match game.turns.defects.iter().find(|defect| defect.loses) {
            Some(defect) => {
                let (kind, turn) = (defect.kind.words(language), defect.turn);
                language.pick(format!("{kind} at its turn {turn}"), format!("{kind}，第 {turn} 回合"))
            }
            None => say("played out", "下完").to_owned(),
        };
        let BotTurns { slowest_wall: wall, most_cpu: cpu, most_memory, .. } = game.turns;
        let memory = most_memory >> 20;
        lines.push(language.pick(
            format!(
                "{scenario}: {end}, {plies} plies; slowest turn {wall:.2} s by the wall, {cpu:.2} s of CPU time; {memory} MiB"
            ),
            format!("{scenario}：{end}，{plies} 步；最慢回合 {wall:.2} 秒，CPU {cpu:.2} 秒；{memory} MiB"),
        ));
    }
    let boards: Vec<String> = report.boards.iter().map(|side| format!("{side}x{side}")).collect();
    if !boards.is_empty() {
        lines.push(format!("{}{}", say("it plays ", "它支持的棋盘："), boards.join(say(" and ", "、"))));
    }
    lines.extend(report.notes.iter().map(|note| format!("{}{note}", say("note: ", "注意："))));
    if report.defects.is_empty() {
        lines.push(say("no defect found", "没有发现缺陷").to_owned());
    }
    lines.extend(report.defects.iter().map(|defect| defect_text(defect, command, language)));
    lines.push(match &report.rating {
        None => say("\nnot rated", "\n未评级").to_owned(),
        Some(placement) => format!("\n{}", placement.to_string().trim_end()),
    });
    lines.join("\n") + "\n"
}

/// A defect with its cause, the request, the answer and the board.
fn defect_text(defect: &Defect, command: &[String], language: Language) -> String {
    let say = |english: &'static str, chinese| language.pick(english, chinese);
    let title = defect.kind.words(language).to_uppercase();
    let cause = defect.cause.as_ref();
    let mut lines = vec![format!("\n{title}{}{}", say(": ", "："), cause.unwrap_or(&defect.message))];
    let (scenario, turn, others) = (defect.scenario.text(language), defect.turn, defect.count - 1);
    let more = match others {
        0 => String::new(),
        _ => language.pick(format!(", and {others} more"), format!("，另有 {others} 次")),
    };
    let place = language
        .pick(format!("{scenario}, its turn {turn}{more}"), format!("{scenario}，第 {turn} 回合{more}"));
    let numbers = defect.answered.map(|Coordinates([x0, y0, x1, y1, x2, y2])| {
        format!("x0={x0} y0={y0} x1={x1} y1={y1} x2={x2} y2={y2}")
    });
    for (english, chinese, text) in [
        ("", "", &*place),
        ("seen: ", "现象：", cause.map_or("", |_| &defect.message)),
        ("its move: ", "它的走法：", &numbers.unwrap_or_default()),
        ("its answer: ", "它的输出：", &defect.answer),
        ("standard error: ", "标准错误：", &defect.evidence.standard_error),
        ("", "", &defect.position.as_ref().map(board_text).unwrap_or_default()),
    ] {
        lines.extend(text.trim_end().lines().map(|line| format!("  {}{line}", say(english, chinese))));
    }
    let input = &defect.evidence.input;
    // A longer one is for programs.
    if (1..16 << 10).contains(&input.len()) {
        let again = format!("printf %s {} | {}", shell_words::quote(input), shell_words::join(command));
        lines.push(format!("  {}{again}", say("to repeat it: ", "重现：")));
    }
    lines.join("\n")
}

/// A small board with the ends of the coordinates that the bot speaks.
fn board_text(position: &Position) -> String {
    let board = format!("{position:#}");
    let (rows, letters) = board.rsplit_once('\n').unwrap_or_default();
    format!("{rows}   y = 0\n{letters}   a: x = 0\n")
}

/// The games as a page: those of the check, then those for the rating.
fn write_page(path: &Path, report: &CheckReport) -> anyhow::Result<()> {
    let tried = report.games.iter().map(|game| (game.scenario.text(Language::English), &game.game));
    let rated = report.rated.iter().map(|record| {
        let names = record.players.each_ref().map(|player| player.name.as_str());
        (format!("rating: {}", names.join(" – ")), &record.game)
    });
    let games = tried.chain(rated).map(|(title, game)| (title, CheckedGame::from(game.clone())));
    let games: Vec<_> = games.collect();
    let shown =
        games.iter().map(|(title, checked)| ShownGame { title: title.clone(), checked, review: None });
    super::write_result("--html", path, matches_html(&shown.collect::<Vec<_>>()))
}
