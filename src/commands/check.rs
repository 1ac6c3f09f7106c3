//! `quiver check`: lists the defects that Botzone's judge would find in a bot, and rates the bot.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use indicatif::ProgressBar;
use quiver_bot::Start;

use super::match_games::ladder_setup;
use super::options::{BoardArgs, expect_writable, start};
use super::value_parsers::{parse_memory, parse_seconds};
use super::{Failed, failed, games, interrupt, print, progress_bar};
use crate::botzone::check::{self, CheckEvent, CheckPlan, CheckReport, Defect, MAX_GAMES};
use crate::contest::{
    Contest, ContestError, ContestResults, GameRecord, GameSink, Openings, PlayerSpec, Protocol, RunOptions,
    spec,
};
use crate::formats::{self, CheckedGame};
use crate::games::Game;
use crate::messages::{counted, printable, warn};
use crate::threads;
use crate::web::match_page::{ShownMatch, matches_html};
use crate::words::Language;

const AFTER_HELP: &str = "\
The check plays games with the bot in every form of the protocol: JSON and simplified text, one process a turn and \
kept running, both colours, 8x8 and 10x10, and two matches at the same time. The bot must play the form of SPEC (cmd: \
JSON, text: simplified text) on one board; it may lack the other forms. Without --board the required board is 8x8, on \
which matches of Botzone are played, or 10x10 if the bot does not play 8x8. The bot's environment has only PATH, HOME, \
LANG, TMPDIR and LD_LIBRARY_PATH (on Windows, the variables that the system needs). Then the bot is rated by --games \
games on the shipped ladder, a list of players with measured ratings. Each pair of games is against the player whose \
rating is nearest to the bot's estimated rating. With two cores the games of a pair are played at the same time.

With --replay FILE the command instead repeats a game: the bot gets the turns of the player who lost, which is the \
player to move at the end of the game.

Exit status: 0 if no defect loses a match, 1 if one does, 2 for bad input.";

const RATING_OPENING_PLIES: usize = 4;

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, mut_arg("board", |board| board.hide_default_value(true)))]
pub(super) struct Args {
    /// The bot: cmd:COMMAND if it uses JSON, text:COMMAND if it uses simplified interaction
    #[arg(value_name = "SPEC")]
    spec: PlayerSpec,
    #[command(flatten)]
    board: BoardArgs,
    /// The judge's time limit of a turn
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "1")]
    time: Duration,
    /// The judge's time limit of the first turn of a match [default: twice --time]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// The judge's memory limit
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, default_value = "256M")]
    memory_limit: usize,
    /// Number of games for the rating, played in pairs; 0 for no rating
    #[arg(long, value_name = "N", default_value_t = 20)]
    games: usize,
    /// Play the game in this file again: give its turns to the bot, one by one, and keep the bot's
    /// input open. The file is a Botzone match log or a game in another format; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["games", "html"])]
    replay: Option<PathBuf>,
    /// The language of the report [default: from LC_ALL, LC_MESSAGES or LANG]
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "zh"])]
    language: Option<String>,
    /// Write the games as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    /// Seed of the opponents and of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn language(asked: Option<&str>) -> Language {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    let usual = || names.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let chinese = asked.map_or_else(usual, str::to_owned).starts_with("zh");
    if chinese { Language::Chinese } else { Language::English }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let PlayerSpec::Program { protocol: Protocol::Botzone(form), command } = &args.spec else {
        bail!("'{}': expected a bot for Botzone, cmd:COMMAND or text:COMMAND", args.spec);
    };
    args.board.start()?;
    ensure!(args.games < 10_000, "--games {}: expected fewer than 10000", args.games);
    expect_writable("--html", args.html.as_ref())?;
    let interrupt = interrupt::stop_on_interrupt("ending; the game in progress is given up")?;
    // With more simultaneous games than cores, a bot would lose time waiting for a core.
    let concurrency = threads::cores().min(2);
    let run = RunOptions { interrupt, concurrency, ..RunOptions::default() };
    let plan = CheckPlan {
        command,
        form: *form,
        board: args.board.is_set_by_user().then_some(args.board.board),
        time: args.time,
        first_time: args.first_time.unwrap_or(2 * args.time),
        memory: args.memory_limit as u64,
        // The texts in JSON are always English.
        language: if args.json { Language::English } else { language(args.language.as_deref()) },
        seed: args.seed,
        run: &run,
    };
    let total = if args.replay.is_some() { 0 } else { MAX_GAMES + args.games };
    let mut terminal = Terminal { plan, json: args.json, bar: progress_bar(total, 0), defects: 0 };
    let mut report = match &args.replay {
        Some(path) => {
            let game = game_to_repeat(path, args.board.board)?;
            check::repeat_turns(&plan, &game, |event| terminal.show_event(event))?
        }
        None => check::check(&plan, |event| terminal.show_event(event))?,
    };
    let ended = rate(args, &mut report, &mut terminal);
    terminal.bar.finish_and_clear();
    let interrupted = run.interrupt.is_stopped();
    let note = plan.language.pick("interrupted before its end", "检查在完成之前被中断");
    report.notes.extend(interrupted.then(|| note.to_owned()));
    // The report is printed even if the rating failed or the page cannot be written.
    let page = args.html.as_ref().filter(|_| !report.games.is_empty());
    let written = page.map_or(Ok(()), |path| write_page(path, &report, plan.language));
    let printed = super::print_result(args.json, &report, || check::summary(&report, plan.language));
    ended.and(written)?;
    ensure!(!interrupted, Failed(plan.language.pick("interrupted", "已中断").to_owned()));
    let losing = report.losing_defect_count();
    let english = counted(losing, "defect loses", "defects lose") + " matches";
    ensure!(losing == 0, Failed(plan.language.pick(english, format!("{losing} 个缺陷会输掉对局"))));
    printed
}

fn game_to_repeat(path: &Path, board: usize) -> anyhow::Result<Game> {
    let read = || -> anyhow::Result<Game> {
        let (_, found) = formats::read(&games::read_bytes(path)?, &Start::positions_preferring(board))?;
        let count = found.len();
        let game = found.into_iter().next().filter(|_| count == 1);
        Ok(game.with_context(|| format!("{count} games: expected one"))?.game?.game)
    };
    let game = read().with_context(|| format!("--replay {}", games::input_name(path)))?;
    let is_start = Start::positions_preferring(board).contains(game.start());
    ensure!(is_start, "--replay {}: expected a game from a start position", games::input_name(path));
    Ok(game)
}

/// Shows progress and time left on standard error, and the bot's defects on standard output.
struct Terminal<'a> {
    plan: CheckPlan<'a>,
    json: bool,
    /// The bar's length is the largest number of games that the check and the rating can play, or 0
    /// in a replay. If the length is 0, `advance` prints no remaining time.
    bar: ProgressBar,
    defects: usize,
}

impl Terminal<'_> {
    fn show_event(&mut self, event: CheckEvent<'_>) {
        match event {
            CheckEvent::Progress { description, done } => self.advance(description, done),
            CheckEvent::NewDefect(defect) => self.show(defect),
        }
    }

    /// Shows that `done` games or turns are over. `what` says what the check does now.
    fn advance(&self, what: &str, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.set_message(printable(what));
        if self.bar.is_hidden() {
            let (done, total) = (done as u64, self.bar.length().unwrap_or(0));
            let left = self.bar.elapsed().as_secs() * total.saturating_sub(done);
            let left = (done > 0 && total > 0).then(|| left / done);
            let left = left.map_or(String::new(), |left| {
                self.plan
                    .language
                    .pick(format!(" (at most about {left} s left)"), format!("（最多约剩 {left} 秒）"))
            });
            warn(format!("{what}{left}"));
        }
    }

    /// Prints a new defect. The check goes on even if standard output is closed.
    fn show(&mut self, defect: &Defect) {
        self.defects += 1;
        if !self.json {
            let text = printable(&check::describe(&self.plan, defect, self.defects));
            let _ = self.bar.suspend(|| print(text));
        }
    }
}

/// Rates the bot against the rated players shipped for its board, unless a defect lost a match.
fn rate(args: &Args, report: &mut CheckReport, terminal: &mut Terminal<'_>) -> anyhow::Result<()> {
    let plan = terminal.plan;
    let games = if args.replay.is_some() { 0 } else { args.games };
    let rates = games > 0 && report.losing_defect_count() == 0 && !plan.run.interrupt.is_stopped();
    let Some(first) = report.games.first().filter(|_| rates) else { return Ok(()) };
    let board = first.scenario.board;
    let Ok(ladder) = spec::shipped_ladder(board) else {
        let note = plan
            .language
            .pick("not rated: no ladder is shipped for this board", "未评级：没有这种棋盘的天梯");
        report.notes.push(note.to_owned());
        return Ok(());
    };
    let (entrants, schedule, results) = ladder_setup(plan.bot(plan.form), ladder, games)?;
    let openings = Openings::random(start(board)?, RATING_OPENING_PLIES, plan.seed)?;
    let (conditions, seed) = (plan.conditions(), plan.seed);
    let mut contest = Contest { entrants, schedule, openings, conditions, seed, results };
    terminal.advance(plan.language.pick("rating", "评级"), MAX_GAMES);
    let ended = contest.run(plan.run, &mut [&mut RatedGameSink { report, terminal }]);
    report.rating = contest.results.ladder_rating();
    // The bot has started before, so a failed start now gives exit status 1, not 2 (bad input).
    ended.map_err(|error| failed(error).into())
}

struct RatedGameSink<'a, 'b> {
    report: &'a mut CheckReport,
    terminal: &'a mut Terminal<'b>,
}

impl GameSink for RatedGameSink<'_, '_> {
    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError> {
        if let Some(defect) = self.report.add_rated_game(&self.terminal.plan, game.clone()) {
            self.terminal.show(defect);
        }
        if let Some(ladder_rating) = results.ladder_rating().filter(|_| results.games.is_multiple_of(2)) {
            let (language, done) = (self.terminal.plan.language, results.games as usize);
            let rating = ladder_rating.rating(language);
            let text = language.pick(format!("rating: {rating}"), format!("评级：{rating}"));
            self.terminal.advance(&text, MAX_GAMES + done);
        }
        Ok(())
    }
}

/// Writes the games of the check and then the rated games as an HTML page, which opens at the first
/// turn that lost a match.
fn write_page(path: &Path, report: &CheckReport, language: Language) -> anyhow::Result<()> {
    let tried = report.games.iter().map(|game| (game.scenario.text(language), &game.game));
    let rated = report.rated.iter().map(|record| {
        let names = record.players.each_ref().map(|player| player.name.as_str());
        let begin = language.pick("rating: ", "评级：");
        (format!("{begin}{}", names.join(" – ")), &record.game)
    });
    let games = tried.chain(rated).map(|(title, game)| (title, CheckedGame::from(game.clone())));
    let games: Vec<_> = games.collect();
    let is_faulty = |game: &Game| game.end.as_ref().is_some_and(|end| end.kind.is_fault());
    let opened = games.iter().position(|(_, checked)| is_faulty(&checked.game));
    let shown = games.iter().enumerate().map(|(number, (title, checked))| {
        let opens_at = (opened == Some(number)).then(|| checked.game.len());
        ShownMatch::new(title.clone(), checked, None, opens_at)
    });
    super::write_result("--html", path, matches_html(&shown.collect::<Vec<_>>()))
}
