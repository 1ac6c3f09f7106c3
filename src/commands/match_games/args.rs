//! The options of `quiver match`.

use std::path::PathBuf;
use std::time::Duration;

use crate::commands::options::{
    BoardOptions, ClockOptions, EngineArgs, LimitOptions, parse_concurrency, parse_memory, parse_seconds,
};
use crate::contest::statistics::Sprt;
use crate::contest::{Entrant, TimeControl, TournamentFormat};

const AFTER_HELP: &str = "\
SPEC is one of
  quiver, quiver:name=value,...   this engine, with search parameters of its own
  greedy, random, campya          other built-in players
  level1, ..., level14            the levels of quiver serve
  cmd:COMMAND                     a Botzone JSON bot, one process a turn or kept running
  text:COMMAND                    a Botzone bot in simplified interaction
  uci:COMMAND                     a UCI engine with a variant of Amazons for the board
  gtp:COMMAND                     a GTP engine of the KataGo family
  contest:COMMAND                 an engine of the contest platform, with --random-plies 0

A SPEC with blanks needs quotes of its own in --player: --player \"'cmd:python3 mybot.py' name=mine \
time=1\".

The variant of a UCI engine is found in its list of options, after the options of the user are set; the option \
UCI_Variant names another.

--playouts does not apply to cmd:, text: and contest: players, whose protocols do not carry it. A cmd: or text: \
program must answer after the last line of its request. It must not wait for the end of its input, which stays open in \
case the program asks to be kept running.

A program ends with the match, even if the match is killed, as soon as it reads its input. With a time limit, the CPU \
time of a program that does not read is limited too, far beyond what a game takes.

Each opening is played twice, with colours exchanged. Statistics are those of pairs.

Exit status: 0 if all games were played out; 1 if some ended by a fault (illegal move, malformed output, time, \
crash, stall) or the match did not come to its end; 2 for bad input.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::commands) struct Args {
    /// One player; short for a --player without settings
    #[arg(long, value_name = "SPEC", requires = "b", conflicts_with = "player")]
    pub(super) a: Option<String>,
    /// The other player
    #[arg(long, value_name = "SPEC", requires = "a")]
    pub(super) b: Option<String>,
    /// A player and its settings: "SPEC name=... time=... first_time=... tc=... playouts=...
    /// threads=... option.NAME=..."; repeatable
    #[arg(long, value_name = "PLAYER")]
    pub(super) player: Vec<Entrant>,
    /// Settings of every player that does not set them itself, as in --player without a SPEC
    #[arg(long, value_name = "SETTINGS")]
    pub(super) each: Option<Entrant>,
    /// Which of several players of --player meet [default: round-robin]
    #[arg(long, value_name = "FORMAT", requires = "player")]
    pub(super) format: Option<TournamentFormat>,
    /// A tournament of several players, described by a TOML file; 'ladder' is the board's shipped
    /// ladder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a", "b", "player"])]
    pub(super) tournament: Option<PathBuf>,
    /// Place this player on the board's shipped ladder: pairs of games, each against the player of
    /// the ladder whose measured rating is nearest
    #[arg(long, value_name = "SPEC", conflicts_with_all = [
        "a", "b", "player", "tournament", "record", "resume", "sprt", "watch", "html",
    ])]
    pub(super) ladder: Option<String>,
    /// Games to play, for each pairing where more than two players meet [with --ladder: 40]
    #[arg(long, value_name = "N")]
    pub(super) games: Option<usize>,
    #[command(flatten)]
    pub(super) board: BoardOptions,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) limits: LimitOptions,
    /// A game clock for each player, base and increment in seconds; for built-in players and uci:
    /// engines
    #[arg(long, value_name = "BASE+INC", conflicts_with_all = ["time", "first_time"])]
    pub(super) tc: Option<TimeControl>,
    /// Time for each player's first move [default: twice the time for cmd: and text:, as on
    /// Botzone]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) first_time: Option<Duration>,
    #[command(flatten)]
    pub(super) clock: ClockOptions,
    /// End the game if a program gives no answer this long after its limit, or, without a limit,
    /// does no work for this long [default: 1, or 60 without limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) patience: Option<Duration>,
    /// End a game once the exact solver proves the winner; it tries every position with the same
    /// small effort
    #[arg(long)]
    pub(super) adjudicate: bool,
    /// Restart a program that crashes, up to N times a game; it must answer in the time that is
    /// left of its turn. Without this option a crash loses the game
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) restart: usize,
    /// Address space of programs, each process
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(super) memory_limit: Option<usize>,
    /// A file of openings, one a line: moves, or a FEN with or without moves; # begins a comment.
    /// 'suite' is the suite shipped for the board
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    pub(super) openings: Option<PathBuf>,
    /// Begin with this opening of the list, from 1
    #[arg(long, value_name = "N", requires = "openings")]
    pub(super) openings_start: Option<usize>,
    /// Shuffle the openings; the seed decides the order
    #[arg(long, requires = "openings")]
    pub(super) openings_shuffled: bool,
    /// Begin each pair with K random plies [default: 4, without --openings]
    #[arg(long, value_name = "K")]
    pub(super) random_plies: Option<usize>,
    /// Games at a time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    pub(super) concurrency: usize,
    /// Stop when a sequential test of pairs accepts ELO0 or ELO1 (both errors 5 %). A gauntlet
    /// tests its first player against each other one, and stops each pairing at its decision
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(super) sprt: Option<Sprt>,
    /// Write one JSON line a game; --resume needs this record
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Write each game as PGN as it ends, for Ordo, BayesElo and databases: the result as tags, the
    /// moves as a comment
    #[arg(long, value_name = "FILE", conflicts_with = "ladder")]
    pub(super) pgn: Option<PathBuf>,
    /// Continue the match of the record; begin one if there is no record yet
    #[arg(long, requires = "record")]
    pub(super) resume: bool,
    /// Keep the standard error of programs in this file, or in this directory, one file a game
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Show the games in a browser as they are played; prints the address
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8411")]
    pub(super) watch: Option<u16>,
    /// Write the result and every game as one page
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Print a summary every N games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) report: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,
}
