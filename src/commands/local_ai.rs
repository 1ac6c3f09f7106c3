//! `quiver local-ai`: plays on Botzone from this machine.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use amazons::Side;
use anyhow::{Context, ensure};

use super::bot::PlayArgs;
use super::options::{parse_seconds, workers};
use super::{Failed, interrupt};
use crate::botzone::local_ai::{
    BaseUrl, Credentials, Engines, MatchOrder, MatchStore, Options, Runner, Site, SiteId,
};
use crate::botzone::{Log, TurnLimits};
use crate::messages::counted;

const LEAST_MEMORY: usize = 1 << 20;

/// The account comes from QUIVER_BOTZONE_URL (the address that the site shows under 本地AI), or
/// QUIVER_BOTZONE_USER and QUIVER_BOTZONE_SECRET, or a file.
#[derive(Debug, clap::Args)]
#[command(mut_arg("board", |board| board.hide_default_value(true)))]
pub(super) struct Args {
    /// Read the account from a file that only its owner can read (chmod 600): the address, or user=
    /// and secret=
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// The site; https, or http on this machine [default: that of the account, or
    /// www.botzone.org.cn]
    #[arg(long, value_name = "URL", value_parser = BaseUrl::parse)]
    base_url: Option<BaseUrl>,
    /// Matches searched at once, each by a thread of its own [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Engines that keep their trees and share --memory; also the number of matches that --run
    /// plays at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    matches: u16,
    /// Think on the opponents' time
    #[arg(long)]
    ponder: bool,
    /// Remember the matches in a file, so that they go on after a restart
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Start matches against this bot (the id of a version), and end when they are over; repeatable
    #[arg(long, value_name = "BOT")]
    run: Vec<SiteId>,
    /// Matches against each bot
    #[arg(long, value_name = "N", default_value_t = 1, requires = "run")]
    games: u16,
    /// Our side in these matches; both: first and second in turn
    #[arg(long, default_value = "both", value_parser = ["first", "second", "both"], requires = "run")]
    side: String,
    /// Initial data of the matches (X-Initdata)
    #[arg(long, value_name = "TEXT", value_parser = parse_header, requires = "run")]
    initdata: Option<String>,
    /// Whether the matches use text (简化交互) rather than JSON
    #[arg(long, value_name = "BOOL", requires = "run")]
    simple_io: Option<bool>,
    /// The site's limit for a turn of the matches
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "run")]
    time_limit: Option<Duration>,
    /// Keep running when these matches are over
    #[arg(long, requires = "run")]
    stay: bool,
    /// End matches (by id) on the site, and do nothing else; repeatable
    #[arg(long, value_name = "MATCH", conflicts_with = "run")]
    abort: Vec<SiteId>,
    /// End matches on the site whose earlier moves are unknown, so that they cannot go on
    #[arg(long)]
    abort_lost: bool,
    /// Wait before a call is repeated after 502, 504 or a lost connection
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = parse_seconds)]
    retry_wait: Duration,
    /// Wait after a technical problem of the site
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    trouble_wait: Duration,
    /// Wait between polls that bring nothing new, if they are answered at once
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = parse_seconds)]
    quiet_wait: Duration,
    /// Give up a poll without news after this time, and poll again
    #[arg(long, value_name = "SECONDS", default_value = "180", value_parser = parse_seconds)]
    poll_timeout: Duration,
    /// Finish and deliver answers for this long after Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    grace: Duration,
    #[command(flatten)]
    play: PlayArgs,
}

/// Text that can stand in a header.
fn parse_header(text: &str) -> Result<String, String> {
    let is_printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let error = || "expected printable ASCII on one line: it is sent as a header".to_owned();
    is_printable.then(|| text.to_owned()).ok_or_else(error)
}

impl Args {
    fn orders(&self) -> VecDeque<MatchOrder> {
        let order = |game: u16, bot: &SiteId| MatchOrder {
            bot: bot.clone(),
            side: match &*self.side {
                "first" => Side::First,
                "second" => Side::Second,
                _ => Side::BOTH[usize::from(game % 2)],
            },
            initdata: self.initdata.clone(),
            simple_io: self.simple_io,
            time_limit: self.time_limit,
        };
        (0..self.games).flat_map(|game| self.run.iter().map(move |bot| order(game, bot))).collect()
    }

    fn credentials(&self) -> anyhow::Result<Credentials> {
        let base = self.base_url.as_ref();
        if let Some(path) = &self.credentials {
            let place = || format!("--credentials {}", path.display());
            return Credentials::from_file(path, base).with_context(place);
        }
        let names = ["URL", "USER", "SECRET"].map(|name| format!("QUIVER_BOTZONE_{name}"));
        let line = |name: &String| Some(format!("{name}={}\n", std::env::var_os(name)?.to_string_lossy()));
        Credentials::parse(&names.iter().filter_map(line).collect::<String>(), base)
            .context("the environment")
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    // Ended matches need no board.
    if args.abort.is_empty() {
        args.play.board.require()?;
    }
    let limits = args.play.limits.of_turns(None);
    let mut bot = args.play.settings(TurnLimits { first: limits.time, ..limits }, true)?;
    let start = bot.before_the_match()?;
    let threads = workers(args.concurrency);
    let engines = threads.max(args.matches.into());
    let memory = bot.engine.memory;
    ensure!(
        memory / engines >= LEAST_MEMORY,
        "--memory: {memory} bytes for {engines} engines: expected at least {LEAST_MEMORY} for each"
    );
    bot.engine.memory /= engines;
    let credentials = args.credentials()?;
    let mut log = Log::open(bot.log.as_deref());
    let site = Site::new(credentials, args.poll_timeout);
    let matches = match &args.state {
        Some(path) if args.abort.is_empty() => {
            MatchStore::open(start, path).with_context(|| format!("--state {}", path.display()))?
        }
        _ => MatchStore::new(start),
    };
    if !matches.plays.is_empty() {
        let matches = counted(matches.plays.len(), "match", "matches");
        log.tell(&format!("goes on with {matches} of an earlier process"));
    }
    if args.abort.is_empty() {
        let threads = counted(threads, "thread", "threads");
        log.tell(&format!("plays with {threads} and {}", counted(engines, "engine", "engines")));
    }
    let Args { retry_wait, trouble_wait, quiet_wait, grace, .. } = *args;
    let options = Options {
        orders: args.orders(),
        at_once: args.matches.into(),
        stay: args.stay,
        abort_lost: args.abort_lost,
        retry_wait,
        trouble_wait,
        quiet_wait,
        grace,
    };
    let engines = Engines::new(threads, engines, args.ponder, &bot)?;
    let runner = Runner::new(site, engines, options, matches, &mut log).context("starting threads")?;
    interrupt::on_signals(runner.interrupter()).context("watching for Ctrl-C")?;
    let done = if args.abort.is_empty() { runner.run() } else { runner.abort(&args.abort) };
    match done {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failed("the site did not do all that was asked of it".to_owned()).into()),
        Err(refusal) => {
            log.note(&refusal.to_string());
            Err(Failed(refusal.to_string()).into())
        }
    }
}
