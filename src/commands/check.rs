//! `quiver check`: lists what Botzone's judge would find in a bot, and rates the bot.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::options::{BoardOptions, EngineArgs, parse_memory, parse_seconds};
use super::{Failed, interrupt};
use crate::botzone::CheckedGame;
use crate::botzone::request::Form;
use crate::contest::check::{self, CheckPlan, CheckReport, Defect, JudgeLimits};
use crate::contest::{
    Allowance, Conditions, Contest, ContestResults, Entrant, GameRecord, LaunchError, Openings, Pairing,
    PlayerSpec, Protocol, RunOptions, fixtures, kill_all, quoted,
};
use crate::files;
use crate::messages::printable;
use crate::web::match_page::{self, ShownGame};

const AFTER_HELP: &str = "\
The check plays every form of the judge: JSON and simplified text, one process a turn and kept running, both colours, \
8x8 and 10x10, and two matches at a time. The bot must play the form of SPEC (cmd: JSON, text: simplified text) on \
--board; it may lack the others. Then it plays --games against each of random, greedy, and quiver at 50 and 400 \
playouts. The ratings are relative to random, which has 0.

Exit status: 0 if no defect loses a match, 1 if one does, 2 for bad input.";

/// Random plies that games for the rating begin with.
const RANDOM_PLIES: usize = 4;

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
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
    /// Games against each player of the ladder, in pairs; 0 for no rating
    #[arg(long, value_name = "N", default_value_t = 4)]
    games: usize,
    /// Write the games as one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// The bot on the ladder.
struct LadderRating {
    /// Names, Elo and half the 95 % interval against random; the bot first.
    players: Vec<(String, f64, f64)>,
    games: Vec<GameRecord>,
    regularised: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let PlayerSpec::Program { protocol: protocol @ (Protocol::Json | Protocol::Text), command } = &args.spec
    else {
        bail!("'{}': expected a bot for Botzone, cmd:COMMAND or text:COMMAND", args.spec);
    };
    args.board.start()?;
    ensure!(args.games < 1000, "--games {}: expected less than 1000", args.games);
    let interrupted = interrupt::watch("ending; the game in progress is given up", kill_all)?;
    let limits = JudgeLimits {
        time: args.time,
        first_time: args.first_time.unwrap_or(2 * args.time),
        memory: args.memory_limit as u64,
    };
    let form = if *protocol == Protocol::Json { Form::Json } else { Form::Text };
    let seed = args.engine.options()?.seed;
    let plan = CheckPlan { command, form, board: args.board.board, limits, seed };
    let watched = io::stderr().is_terminal();
    let report = check::check(&plan, &interrupted, |what| {
        if watched {
            eprint!("\r\x1b[Kplaying: {what}");
        }
    })?;
    let rating = match args.games {
        0 => None,
        _ if report.loses() || interrupted.load(Ordering::Relaxed) => None,
        games => {
            if watched {
                eprint!("\r\x1b[Kplaying for a rating");
            }
            Some(rate(args, games, &interrupted)?)
        }
    };
    if watched {
        eprint!("\r\x1b[K");
    }
    ensure!(!interrupted.load(Ordering::Relaxed), Failed("interrupted".to_owned()));
    if let Some(path) = &args.html {
        write_page(path, &report, rating.as_ref())?;
    }
    let text = match args.json {
        true => format!("{}\n", json(&report, rating.as_ref())),
        false => printable(&text(&report, rating.as_ref(), command)),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    ensure!(!report.loses(), Failed(format!("{} defects lose matches", losing(&report))));
    Ok(())
}

fn losing(report: &CheckReport) -> usize {
    report.defects.iter().filter(|(defect, _)| defect.kind.loses()).count()
}

/// Plays a round robin of the bot and the ladder's players.
fn rate(args: &Args, games: usize, interrupted: &AtomicBool) -> anyhow::Result<LadderRating> {
    let engine = args.engine.options()?;
    let entrant = |name: &str, spec: PlayerSpec, allowance: Allowance| Entrant {
        name: name.to_owned(),
        allowance,
        ..Entrant::new(spec, &engine)
    };
    let first_time = args.first_time.unwrap_or(2 * args.time);
    let timed = Allowance { time: Some(args.time), first_time: Some(first_time), ..Allowance::default() };
    let mut entrants = vec![entrant("the bot", args.spec.clone(), timed)];
    for (name, spec, playouts) in [
        ("random", "random", None),
        ("greedy", "greedy", None),
        ("quiver, 50 playouts", "quiver", Some(50)),
        ("quiver, 400 playouts", "quiver", Some(400)),
    ] {
        let spec = spec.parse().with_context(|| name.to_owned())?;
        entrants.push(entrant(name, spec, Allowance { playouts, ..Allowance::default() }));
    }
    let grace = Duration::from_secs(1);
    let contest = Contest {
        fixtures: fixtures::fixtures(
            &fixtures::pairs(entrants.len()).map(|players| Pairing { players, games }).collect::<Vec<_>>(),
        ),
        openings: Openings::random(args.board.start()?, RANDOM_PLIES, engine.seed)?,
        conditions: Conditions { grace, ..Conditions::default() },
        seed: engine.seed,
        entrants,
    };
    let mut results = ContestResults::new(contest.entrants.len());
    let mut played = Vec::new();
    let staging = RunOptions { concurrency: 1, ..RunOptions::default() };
    contest.run(&staging, &BTreeSet::new(), interrupted, |game| {
        results.add(&game);
        played.push(game);
        Ok::<_, LaunchError>(ControlFlow::Continue(()))
    })?;
    results.anchor = Some((1, 0.0));
    let rated = results.ratings().context("no ratings: too few games were played")?;
    let named = contest.entrants.iter().zip(&rated.players);
    let mut players: Vec<_> =
        named.map(|(entrant, rating)| (entrant.name.clone(), rating.elo, rating.error)).collect();
    players[1..].sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(LadderRating { players, games: played, regularised: rated.regularised })
}

fn text(report: &CheckReport, rating: Option<&LadderRating>, command: &[String]) -> String {
    let mut lines = Vec::new();
    for game in &report.games {
        let (plies, memory) = (game.record.game.plies().len(), game.most_memory >> 20);
        let end = match game.defects.iter().find(|defect| defect.kind.loses()) {
            Some(defect) => format!("{} at its turn {}", defect.kind, defect.turn),
            None => "played out".to_owned(),
        };
        lines.push(format!(
            "{}: {end}, {plies} plies; slowest turn {:.2} s by the wall, {:.2} s of CPU time; {memory} MiB",
            game.scenario,
            game.slowest.as_secs_f64(),
            game.most_cpu.as_secs_f64(),
        ));
    }
    lines.extend(report.notes.iter().map(|note| format!("note: {note}")));
    if report.defects.is_empty() {
        lines.push("no defect found".to_owned());
    }
    let command: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    for (defect, count) in &report.defects {
        lines.push(format!("\n{}: {}", defect.kind.to_string().to_uppercase(), defect.message));
        let times = if *count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        lines.push(format!("  {}, its turn {}{times}", defect.scenario, defect.turn));
        lines
            .extend(defect.standard_error.trim_end().lines().map(|line| format!("  standard error: {line}")));
        if !defect.input.is_empty() {
            lines.push(format!(
                "  to repeat it: printf %s {} | {}",
                quoted(&defect.input),
                command.join(" ")
            ));
        }
    }
    match rating {
        None => lines.push("\nnot rated".to_owned()),
        Some(rating) => {
            lines.push("\nElo, 95 % interval, where random has 0:".to_owned());
            for (name, elo, error) in &rating.players {
                lines.push(format!("  {name:<22} {elo:>7.0} +/- {error:.0}"));
            }
            if rating.regularised {
                lines.push(
                    "  (half a win and half a loss added to each pairing: some won or lost them all)"
                        .to_owned(),
                );
            }
        }
    }
    lines.join("\n") + "\n"
}

fn json(report: &CheckReport, rating: Option<&LadderRating>) -> Value {
    let defect = |(defect, count): &(Defect, u64)| {
        json!({
            "kind": defect.kind.name(),
            "loses": defect.kind.loses(),
            "count": count,
            "scenario": defect.scenario,
            "turn": defect.turn,
            "message": defect.message,
            "input": defect.input,
            "answer": defect.answer,
            "standard_error": defect.standard_error,
        })
    };
    let trials = report.games.iter().map(|game| {
        json!({
            "scenario": game.scenario.to_string(),
            "plies": game.record.game.plies().len(),
            "winner": game.record.end().winner.to_string(),
            "slowest_wall": game.slowest.as_secs_f64(),
            "most_cpu": game.most_cpu.as_secs_f64(),
            "most_memory": game.most_memory,
        })
    });
    let player = |(name, elo, error): &(String, f64, f64)| json!({"name": name, "elo": elo, "error": error});
    json!({
        "trials": trials.collect::<Vec<_>>(),
        "defects": report.defects.iter().map(defect).collect::<Vec<_>>(),
        "notes": report.notes,
        "ratings": rating.map(|rating| rating.players.iter().map(player).collect::<Vec<_>>()),
    })
}

/// The games as a page: those of the check, then those for the rating.
fn write_page(path: &Path, report: &CheckReport, rating: Option<&LadderRating>) -> anyhow::Result<()> {
    let mut games: Vec<(String, CheckedGame)> = Vec::new();
    for watched in &report.games {
        games.push((watched.scenario.to_string(), watched.record.game.clone().into()));
    }
    for record in rating.iter().flat_map(|rating| &rating.games) {
        if record.players.iter().any(|player| player.entrant == 0) {
            let names = record.players.each_ref().map(|player| player.name.as_str());
            games.push((format!("rating: {}", names.join(" – ")), record.game.clone().into()));
        }
    }
    let shown = games.iter().map(|(title, checked)| ShownGame { title, checked, review: None });
    let place = || format!("--html {}", path.display());
    let page = match_page::page(&shown.collect::<Vec<_>>()).with_context(place)?;
    files::replace(path, page).with_context(place)
}
