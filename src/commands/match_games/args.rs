//! The options of `quiver match`.

use std::path::PathBuf;
use std::time::Duration;

use crate::commands::options::{BoardArgs, ClockArgs, EngineArgs, LimitArgs};
use crate::commands::value_parsers::{parse_concurrency, parse_memory, parse_seconds};
use crate::contest::statistics::Sprt;
use crate::contest::{PlayerSettings, TimeControl, TournamentFormat};

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
    #[arg(long, value_name = "SPEC", requires = "a")]
    pub(super) b: Option<String>,
    /// A player and its settings: "SPEC name=... time=... first_time=... tc=... playouts=...
    /// threads=... option.NAME=..."; repeatable
    #[arg(long, value_name = "PLAYER")]
    pub(super) player: Vec<PlayerSettings>,
    /// Settings for every player that does not set them itself, as in --player but without a SPEC
    #[arg(long, value_name = "SETTINGS")]
    pub(super) each: Option<PlayerSettings>,
    /// Which of the --player players meet each other [default: round-robin]
    #[arg(long, value_name = "FORMAT", requires = "player")]
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
    /// End the game if a program exceeds its time limit by this time, or if it has no limit and
    /// does no work for this time [default: 1, or 60 without a limit]
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
    /// A file of openings, one a line: moves, or a FEN with or without moves; # begins a comment.
    /// 'suite' is the suite shipped for the board
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    pub(super) openings: Option<PathBuf>,
    /// Number of the opening to begin with, from 1
    #[arg(long, value_name = "N", requires = "openings")]
    pub(super) openings_start: Option<usize>,
    /// Shuffle the openings into an order that depends on --seed
    #[arg(long, requires = "openings")]
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
    /// Append the standard error of programs to this file. If it is a directory, each game and
    /// player has a file of its own there
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
