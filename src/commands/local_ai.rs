//! `quiver local-ai`: plays on Botzone from this machine.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Failed;
use super::bot::StartArg;
use super::options::{BoardOrigin, EngineArgs, LimitOptions, parse_seconds};
use crate::botzone::local_ai::poll::SiteId;
use crate::botzone::local_ai::{
    BaseUrl, Call, CallOutcome, Credentials, HttpSite, Interrupter, MatchOptions, MatchOrder, Matches,
    Notice, Options, Refusal, Runner, Secret, Series, Settings, Site, StateFile, Tally, Waits,
};
use crate::botzone::{Conversation, Log, Starts, TurnLimits};
use crate::game::Size;
use crate::messages;
use crate::players::{EngineOptions, PlayerKind};

/// The default time for an answer: Botzone's for C++.
const TIME: Duration = Duration::from_secs(1);

/// The least memory that is worth an engine.
const LEAST_MEMORY: usize = 1 << 20;

/// The account comes from QUIVER_BOTZONE_URL (the address that the site shows under 本地AI), or
/// QUIVER_BOTZONE_USER and QUIVER_BOTZONE_SECRET, or a file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Read the account from a file that nobody else can read (chmod 600): the address, or user= and secret=
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// The site; https, or http on this machine [default: that of the account, or www.botzone.org.cn]
    #[arg(long, value_name = "URL", value_parser = BaseUrl::parse)]
    base_url: Option<BaseUrl>,
    /// Who chooses the moves: quiver, greedy, random, campya
    #[arg(long, value_name = "NAME", default_value_t = PlayerKind::Quiver)]
    player: PlayerKind,
    #[command(flatten)]
    limits: LimitOptions,
    /// Matches that are thought about at once, each by a thread of its own [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Engines that keep their trees at once, which share --memory; also the matches that --run has going on
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    matches: u16,
    /// Think on the opponents' time
    #[arg(long)]
    ponder: bool,
    /// Remember the matches in a file, so that they go on after a restart
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    /// End matches (by id) on the site, and do nothing else; repeatable
    #[arg(long, value_name = "MATCH", conflicts_with = "run")]
    abort: Vec<SiteId>,
    /// End matches on the site that cannot go on, since their earlier moves are not known
    #[arg(long)]
    abort_lost: bool,
    /// Who owns which of the start squares of 10x10, where the history does not tell
    #[arg(long, value_enum, default_value = "formula")]
    start: StartArg,
    /// Append what happens to a file, with times
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    waits: WaitArgs,
    #[command(flatten)]
    board: BoardOrigin,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Matches to start.
#[derive(Debug, clap::Args)]
struct RunArgs {
    /// Start matches against this bot (the id of a version), and end when they are over; repeatable
    #[arg(long, value_name = "BOT")]
    run: Vec<SiteId>,
    /// Matches against each
    #[arg(long, value_name = "N", default_value_t = 1, requires = "run")]
    games: u16,
    /// Our place in them
    #[arg(long, value_enum, default_value = "both", requires = "run")]
    side: SideArg,
    /// Initial data of the matches (X-Initdata)
    #[arg(long, value_name = "TEXT", value_parser = parse_header, requires = "run")]
    initdata: Option<String>,
    /// Whether the matches use text (简化交互) rather than JSON
    #[arg(long, value_name = "BOOL", requires = "run")]
    simple_io: Option<bool>,
    /// The site's limit for a turn of the matches
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "run")]
    time_limit: Option<Duration>,
    /// Go on when they are over
    #[arg(long, requires = "run")]
    stay: bool,
}

/// How long to wait for what.
#[derive(Debug, clap::Args)]
struct WaitArgs {
    /// Wait before a call is repeated after 502, 504 or a lost connection
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = parse_seconds)]
    retry_wait: Duration,
    /// Wait after a technical problem of the site
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    trouble_wait: Duration,
    /// Wait between polls that bring nothing new, if they are answered at once
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = parse_seconds)]
    quiet_wait: Duration,
    /// Give a poll without news up after this long, and poll again
    #[arg(long, value_name = "SECONDS", default_value = "180", value_parser = parse_seconds)]
    poll_timeout: Duration,
    /// Finish and deliver answers for this long after Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    grace: Duration,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SideArg {
    /// We move first
    First,
    /// We move second
    Second,
    /// First and second in turn
    Both,
}

/// Text that can stand in a header.
fn parse_header(text: &str) -> Result<String, String> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        Ok(text.to_owned())
    } else {
        Err(String::from("expected printable ASCII on one line: it is sent as a header"))
    }
}

impl RunArgs {
    /// The matches, one against each bot in turn.
    fn orders(&self) -> Vec<MatchOrder> {
        let options = MatchOptions {
            initdata: self.initdata.clone(),
            simple_io: self.simple_io,
            time_limit: self.time_limit,
        };
        let slot = |game: u16| match self.side {
            SideArg::First => 0,
            SideArg::Second => 1,
            SideArg::Both => usize::from(game % 2),
        };
        let order =
            |game, bot: &SiteId| MatchOrder { bot: bot.clone(), slot: slot(game), options: options.clone() };
        (0..self.games).flat_map(|game| self.run.iter().map(move |bot| order(game, bot))).collect()
    }
}

impl Args {
    fn credentials(&self) -> anyhow::Result<Credentials> {
        let base = self.base_url.as_ref();
        if let Some(path) = &self.credentials {
            return Credentials::from_file(path, base).context("--credentials");
        }
        let variable = |name| match std::env::var(name) {
            Ok(value) => Some(value),
            // What is no text is no account either; the check of its characters says so.
            Err(std::env::VarError::NotUnicode(_)) => Some(String::new()),
            Err(std::env::VarError::NotPresent) => None,
        };
        let settings = Settings {
            url: variable("QUIVER_BOTZONE_URL"),
            user: variable("QUIVER_BOTZONE_USER"),
            secret: variable("QUIVER_BOTZONE_SECRET"),
        };
        Ok(Credentials::new(&settings, base, "the environment")?)
    }

    fn turn_limits(&self) -> TurnLimits {
        let LimitOptions { time, playouts } = self.limits;
        let time = time.or(playouts.is_none().then_some(TIME));
        TurnLimits { first: time, time, playouts }
    }

    /// The options of one of `seats` engines.
    fn engine_options(&self, seats: usize) -> anyhow::Result<EngineOptions> {
        let options = self.engine.options()?;
        let memory = options.memory / seats;
        ensure!(
            memory >= LEAST_MEMORY,
            "--memory: {} bytes for {seats} engines: expected at least {LEAST_MEMORY} for each",
            options.memory
        );
        Ok(EngineOptions { memory, ..options })
    }

    fn waits(&self) -> Waits {
        let WaitArgs { retry_wait, trouble_wait, quiet_wait, grace, .. } = self.waits;
        Waits { retry: retry_wait, trouble: trouble_wait, quiet: quiet_wait, grace }
    }
}

/// Where notices go: results to standard output, talk to standard error, everything to the log; the secret nowhere,
/// whoever put it into a text.
struct Teller {
    secret: Secret,
    log: Log,
    failed: bool,
}

impl Teller {
    fn tell(&mut self, notice: &Notice) {
        let text = messages::printable(&self.secret.scrub(&notice.to_string()));
        match notice {
            Notice::Request(..) => return self.log.read(&text),
            Notice::TimeLimit(..) => return self.log.note(&text),
            Notice::Answered { .. } => self.log.written(&text),
            _ => self.log.note(&text),
        }
        self.failed |= matches!(notice, Notice::NotStarted(..) | Notice::NotAborted(..));
        // A closed stream cannot be reported, and the matches continue.
        let _ = if notice.is_result() {
            writeln!(io::stdout(), "{text}")
        } else {
            writeln!(io::stderr(), "{text}")
        };
    }

    /// A refusal as the end of the command.
    fn failure(&mut self, refusal: &Refusal) -> anyhow::Error {
        let text = self.secret.scrub(&refusal.to_string());
        self.log.note(&text);
        Failed(text).into()
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let size = Size::square(args.board.board).context("--board")?;
    let starts = Starts::new(size, args.board.is_explicit(), args.start.into()).context("--board")?;
    let threads = args.concurrency.map_or_else(cores, usize::from);
    let seats = threads.max(args.matches.into());
    let engine = args.engine_options(seats)?;
    let credentials = args.credentials()?;
    let mut teller = Teller {
        secret: credentials.secret().clone(),
        log: args.log.as_deref().map_or_else(Log::none, Log::append),
        failed: false,
    };
    let site = HttpSite::new(credentials, args.waits.poll_timeout);
    if !args.abort.is_empty() {
        return abort(&site, &args.abort, args.waits.retry_wait, &mut teller);
    }
    let (state, plays) = match &args.state {
        Some(path) => StateFile::open(path, &starts).context("--state")?,
        None => (StateFile::none(), BTreeMap::new()),
    };
    if !plays.is_empty() {
        teller.tell(&Notice::Restored(plays.len()));
    }
    let options = Options {
        threads,
        seats,
        time: args.turn_limits().time,
        ponder: args.ponder,
        series: Series::new(args.run.orders(), args.matches.into()),
        stay: args.run.stay,
        abort_lost: args.abort_lost,
        waits: args.waits(),
    };
    let matches = Matches::new(starts.clone(), state, plays);
    let (player, limits) = (args.player, args.turn_limits());
    let build = move || {
        let player = player.build(&engine, &starts.usual().likely);
        Conversation::new(player, starts.clone(), limits)
    };
    let mut notify = |notice: Notice| teller.tell(&notice);
    let runner = Runner::new(site, build, options, matches, &mut notify).context("starting threads")?;
    watch_signals(runner.interrupter()).context("watching for Ctrl-C")?;
    let tally = runner.run().map_err(|refusal| teller.failure(&refusal))?;
    if tally != Tally::default() {
        teller.tell(&Notice::Summary(tally));
    }
    ensure_done(&teller)
}

fn ensure_done(teller: &Teller) -> anyhow::Result<()> {
    if teller.failed {
        return Err(Failed(String::from("the site did not do all that was asked of it")).into());
    }
    Ok(())
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The first Ctrl-C (or SIGTERM) stops the runner, the second the process.
fn watch_signals(interrupter: Interrupter) -> io::Result<()> {
    const BY_SIGNAL: i32 = 128;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            interrupter.interrupt();
        }
        if let Some(signal) = signals.next() {
            std::process::exit(BY_SIGNAL + signal);
        }
    })?;
    Ok(())
}

/// Ends matches on the site.
fn abort(site: &HttpSite, ids: &[SiteId], wait: Duration, teller: &mut Teller) -> anyhow::Result<()> {
    const ATTEMPTS: usize = 5;
    for id in ids {
        let call = Call::Abort(id.clone());
        let mut attempts = ATTEMPTS;
        let notice = loop {
            attempts -= 1;
            match CallOutcome::of(site.call(&call)) {
                CallOutcome::Done(_) | CallOutcome::Cut(_) => break Notice::Aborted(id.clone()),
                CallOutcome::Refused(Refusal::Call { said }) => break Notice::NotAborted(id.clone(), said),
                CallOutcome::Refused(refusal) => return Err(teller.failure(&refusal)),
                CallOutcome::NoNews => break Notice::NotAborted(id.clone(), "no answer in time".into()),
                CallOutcome::Again(why) | CallOutcome::Later(why) | CallOutcome::Strange(why)
                    if attempts == 0 =>
                {
                    break Notice::NotAborted(id.clone(), why);
                }
                CallOutcome::Again(why) | CallOutcome::Later(why) | CallOutcome::Strange(why) => {
                    teller.tell(&Notice::Trouble(why, wait));
                    thread::sleep(wait);
                }
            }
        };
        teller.tell(&notice);
    }
    ensure_done(teller)
}
