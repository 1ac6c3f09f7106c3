//! The options of `quiver match`, and the contest that they describe.

use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::commands::options::{BoardArgs, ClockArgs, EngineArgs, LimitArgs};
use crate::commands::value_parsers::{parse_concurrency, parse_memory, parse_seconds};
use crate::contest::spec::shipped_ladder;
use crate::contest::statistics::Sprt;
use crate::contest::{ContestSpec, PlayerSettings, TimeControl, TournamentFormat};
use crate::files;

/// The value of `--tournament` that means the shipped ladder, and not a file with this name.
const SHIPPED_LADDER: &str = "ladder";

const AFTER_HELP: &str = "\
SPEC is one of
  quiver, quiver:name=value,...   this engine, with its own search parameters
  greedy, random, campya          other built-in players
  level1, ..., level14            the levels of quiver serve
  cmd:COMMAND                     a Botzone JSON bot, one process a turn or kept running
  text:COMMAND                    a Botzone bot in simplified interaction
  uci:COMMAND                     a UCI engine with a variant of Amazons for the board
  gtp:COMMAND                     a GTP engine of the KataGo family
  contest:COMMAND                 an engine of the contest platform, with --random-plies 0

The players quiver and campya need a limit: --time, --tc or --playouts.

A SPEC that contains blanks needs its own quotes in --player: --player \"'cmd:python3 mybot.py' name=mine \
time=1\".

The match finds the variant of a UCI engine in the engine's list of options, after it has set the options of the user. \
The option UCI_Variant chooses another variant.

--playouts does not apply to cmd:, text: and contest: players, because their protocols cannot carry a number of \
playouts. A cmd: or text: program must answer after the last line of its request. It must not wait for the end of its \
input, which stays open in case the program asks to be kept running.

All programs end with the match. If the match is killed, a program should end when it reads the end of its input. For \
a program that never reads, a match with a time limit also sets a limit of CPU time, far above the time of a game.

Each opening is played twice, with colours exchanged. Statistics count pairs of games.

Exit status: 0 if all games were played out; 1 if a game ended by a fault (illegal move, malformed output, time, \
crash, stall) or the match was not finished; 2 for bad input.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::commands) struct Args {
    /// The first player of a match of two players
    #[arg(long, value_name = "SPEC", requires = "b", conflicts_with = "player")]
    pub(super) a: Option<String>,
    /// The second player of a match of two players
    #[arg(long, value_name = "SPEC", requires = "a", conflicts_with = "player")]
    pub(super) b: Option<String>,
    /// A player and its settings: "SPEC name=... time=... first_time=... tc=... playouts=...
    /// threads=... option.NAME=..."; repeatable
    #[arg(long, value_name = "PLAYER")]
    pub(super) player: Vec<PlayerSettings>,
    /// Settings for every player that does not set them itself, as in --player but without a SPEC
    #[arg(long, value_name = "SETTINGS")]
    pub(super) each: Option<PlayerSettings>,
    /// Which of the --player players meet each other [default: round-robin]
    #[arg(long, value_name = "FORMAT", requires = "player", conflicts_with_all = ["a", "b", "tournament", "ladder"])]
    pub(super) format: Option<TournamentFormat>,
    /// A tournament's TOML file; 'ladder' is the shipped list of rated players for the board
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "player"])]
    pub(super) tournament: Option<PathBuf>,
    /// Rate this player on the shipped ladder for the board: each pair of games is against the
    /// player of the ladder whose rating is nearest to this player's estimated rating
    #[arg(long, value_name = "SPEC", conflicts_with_all = [
        "a", "b", "player", "tournament", "record", "resume", "sprt", "watch", "html",
    ])]
    pub(super) ladder: Option<String>,
    /// Number of games; in a tournament, for each pairing of two players [with --ladder: 40]
    #[arg(long, value_name = "N")]
    pub(super) games: Option<usize>,
    #[command(flatten)]
    pub(super) board: BoardArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    /// A game clock for each player: base time and increment in seconds, for built-in players and
    /// engines
    #[arg(long, value_name = "BASE+INC", conflicts_with_all = ["time", "first_time"])]
    pub(super) tc: Option<TimeControl>,
    /// Time for each player's first move [default: as --time; for cmd: and text: twice as much, as
    /// on Botzone]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) first_time: Option<Duration>,
    #[command(flatten)]
    pub(super) clock: ClockArgs,
    /// End the game when a program exceeds its time limit and --grace by SECONDS, or is idle for
    /// SECONDS in a turn without a time limit [default: 1, or 60 without a limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) patience: Option<Duration>,
    /// End a game as soon as the endgame solver proves its winner; the solver searches every
    /// position briefly
    #[arg(long)]
    pub(super) adjudicate: bool,
    /// Restart a program that crashes, up to N times a game; it must answer in the time that is
    /// left of its turn. Without this option a crash loses the game
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) restart: usize,
    /// Limit of the address space of each process of a program
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(super) memory_limit: Option<usize>,
    /// A file of openings: unfinished games in any format that `quiver replay` reads, such as lines
    /// of moves. 'suite' is the suite shipped for the board
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    pub(super) openings: Option<PathBuf>,
    /// Number of the opening to begin with, from 1
    #[arg(long, value_name = "N", requires = "openings", conflicts_with = "random_plies")]
    pub(super) openings_start: Option<usize>,
    /// Shuffle the openings into an order that depends on --seed
    #[arg(long, requires = "openings", conflicts_with = "random_plies")]
    pub(super) openings_shuffled: bool,
    /// Begin each pair of games with K random plies [default: 4 if --openings is not given]
    #[arg(long, value_name = "K")]
    pub(super) random_plies: Option<usize>,
    /// Number of games that are played at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    pub(super) concurrency: usize,
    /// Stop when a sequential test of pairs accepts ELO0 or ELO1, with error probabilities of 5 %.
    /// In a gauntlet, the first player is tested against each other player, and each pairing stops
    /// at its decision
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(super) sprt: Option<Sprt>,
    /// Write a record with one JSON line for each game; --resume needs it
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Write each game as PGN when it ends, for Ordo, BayesElo and databases; the result is in
    /// tags, the moves in a comment
    #[arg(long, value_name = "FILE", conflicts_with = "ladder")]
    pub(super) pgn: Option<PathBuf>,
    /// Resume the match in the file of --record, or begin a match if there is no such file yet
    #[arg(long, requires = "record")]
    pub(super) resume: bool,
    /// Append the standard error of programs to this file. If it is a directory, each player of
    /// each game has a separate file there
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Serve a page that shows the games in a browser while they are played, and print its address
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8411")]
    pub(super) watch: Option<u16>,
    /// Write the result and all games as one HTML page
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Print a summary every N games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) report: u64,
    /// Print the final report as one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,
}

impl Args {
    /// The contest that the options describe. Settings for all players apply to every player that
    /// does not set them itself. With `--ladder`, the first player is the player to rate, and the
    /// other players are those of the shipped ladder, which keep their own settings.
    pub(super) fn contest_spec(&self) -> anyhow::Result<ContestSpec> {
        let alone = |spec: &String| PlayerSettings { spec: Some(spec.clone()), ..PlayerSettings::default() };
        if let Some(spec) = &self.ladder {
            let mut contest = shipped_ladder(self.board.board).context("--ladder")?;
            contest.player.insert(0, alone(spec).or(&self.common_settings()?));
            return Ok(contest);
        }
        let file = self.tournament_option();
        let mut contest: ContestSpec = match &self.tournament {
            None => {
                let two = self.a.iter().chain(&self.b).map(alone);
                let player = two.chain(self.player.iter().cloned()).collect();
                ContestSpec { player, format: self.format.unwrap_or_default(), ..ContestSpec::default() }
            }
            Some(path) if path.as_os_str() == SHIPPED_LADDER => {
                shipped_ladder(self.board.board).with_context(|| file.clone())?
            }
            Some(path) => {
                let read = || anyhow::Ok(toml::from_str(&files::read_text(path)?)?);
                read().with_context(|| file.clone())?
            }
        };
        let count = contest.player.len();
        ensure!(
            count >= 2 || self.tournament.is_none(),
            "{file}: {count} players, expected at least 2 [[player]] tables"
        );
        ensure!(
            count >= 2,
            "{count} players: expected --a SPEC and --b SPEC, --player \"SPEC ...\" at least twice, or --tournament FILE"
        );
        expect_common_settings(&file, &contest.each)?;
        let each = self.common_settings()?.or(&contest.each);
        make_names_unique(&mut contest.player);
        for player in &mut contest.player {
            *player = mem::take(player).or(&each);
        }
        Ok(contest)
    }

    /// The settings that the command line gives for all players.
    fn common_settings(&self) -> anyhow::Result<PlayerSettings> {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let common = PlayerSettings {
            time: seconds(self.limits.time),
            first_time: seconds(self.first_time),
            tc: self.tc,
            playouts: self.limits.playouts,
            games: self.games,
            memory_limit: self.memory_limit.map(|bytes| bytes as u64),
            ..PlayerSettings::default()
        };
        let each = self.each.clone().unwrap_or_default();
        expect_common_settings("--each", &each)?;
        Ok(each.or(&common))
    }

    /// The option `--tournament` with its value, for error messages.
    pub(super) fn tournament_option(&self) -> String {
        let path = self.tournament.as_deref().unwrap_or(Path::new("FILE"));
        format!("--tournament {}", path.display())
    }
}

fn expect_common_settings(place: &str, each: &PlayerSettings) -> anyhow::Result<()> {
    let named = each.spec.is_some() || !each.name.is_empty();
    ensure!(!named, "{place}: got a spec or a name: expected only settings that all players can share");
    Ok(())
}

/// Gives different names to players that have the same SPEC and no name from the user.
fn make_names_unique(players: &mut [PlayerSettings]) {
    for number in (0..players.len()).rev() {
        let (earlier, later) = players.split_at_mut(number);
        let player = &mut later[0];
        let same: Vec<_> = earlier.iter().filter(|other| other.spec == player.spec).collect();
        if let Some(spec) = player.spec.as_ref().filter(|_| player.name.is_empty())
            && same.iter().any(|other| other.name.is_empty())
        {
            player.name = format!("{spec} ({})", same.len() + 1);
        }
    }
}
