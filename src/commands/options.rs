//! Options that several subcommands share.

use std::path::PathBuf;
use std::time::Duration;

use amazons::{Position, Size, move_list};
use anyhow::{Context, anyhow, bail, ensure};
use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use super::value_parsers::{parse_grace, parse_memory, parse_seconds, parse_threads, within};
use crate::botzone::{BoardChoice, TurnLimits};
use crate::contest::Clock;
use crate::files;
use crate::games::Game;
use crate::messages::warn;
use crate::policy::{Network, Networks};
use crate::search::{EngineOptions, Limits, ParameterError, Time};
use crate::territory::{Evaluator, Weights};
use crate::threads::{cores, threads_warning};

const BOARD_VARIABLE: &str = "QUIVER_BOARD";

/// The option `--board`. [`BoardArgs`] also records whether the user gave a value.
#[derive(clap::Args)]
struct RawBoardArgs {
    /// Squares along a side: 6, 8 or 10; with a position, any number from 4 to 10
    #[arg(long, value_name = "N", env = BOARD_VARIABLE, default_value_t = 10, value_parser = within::<usize>(4..=10, "4 to 10 squares along a side"))]
    board: usize,
}

/// The size of the board if no position is given, and whether the user named the size.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoardArgs {
    pub(super) board: usize,
    /// The source of the board's size. It decides whether a bot accepts a match on another board.
    pub(super) board_choice: BoardChoice,
}

impl BoardArgs {
    pub(super) fn is_from_command_line(self) -> bool {
        self.board_choice == BoardChoice::Fixed
    }

    /// True if the command line or the environment names the board.
    pub(super) fn is_set_by_user(self) -> bool {
        self.board_choice != BoardChoice::Assumed
    }

    /// If the command line has `--board`, checks that the position given by `option` has that size.
    pub(super) fn expect_board_size(self, option: &str, position: Position) -> anyhow::Result<Position> {
        let (size, board) = (position.size(), self.board);
        ensure!(
            usize::from(size.width().max(size.height())) == board || !self.is_from_command_line(),
            "{option} is a board of {size}, expected {board}x{board} as --board says"
        );
        Ok(position)
    }

    pub(super) fn start(self) -> anyhow::Result<Position> {
        start(self.board)
    }
}

pub(super) fn start(board: usize) -> anyhow::Result<Position> {
    Ok(Position::start(Size::square(board)?)?)
}

impl FromArgMatches for BoardArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BoardArgs, clap::Error> {
        let board_choice = match matches.value_source("board") {
            Some(ValueSource::CommandLine) => BoardChoice::Fixed,
            Some(ValueSource::EnvVariable) => BoardChoice::Preferred,
            _ => BoardChoice::Assumed,
        };
        let RawBoardArgs { board } = RawBoardArgs::from_arg_matches(matches)?;
        Ok(BoardArgs { board, board_choice })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BoardArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for BoardArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = RawBoardArgs::augment_args(command);
        // An empty environment variable counts as unset.
        let is_empty = std::env::var_os(BOARD_VARIABLE).is_some_and(|value| value.is_empty());
        if is_empty { command.mut_arg("board", |board| board.env(Resettable::Reset)) } else { command }
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        RawBoardArgs::augment_args_for_update(command)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct PositionArgs {
    #[command(flatten)]
    pub(super) board: BoardArgs,
    /// The position: a FEN, or startpos
    #[arg(long, value_name = "FEN", default_value = "startpos")]
    position: String,
    /// Moves to play from the position, as in "d1-d7/g7 a7-c5/c3"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
}

/// The default time limit of a bot's turn, which is Botzone's limit for C++.
const TURN_TIME: Duration = Duration::from_secs(1);

pub(super) const DEFAULT_MEMORY: &str = "176M";

#[derive(Clone, Debug, clap::Args)]
pub(super) struct ParameterArgs {
    /// Set a search parameter or switch (see `quiver params`); repeatable
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Read search parameters from a TOML file; --set overrides it
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct WeightsArgs {
    /// Read the evaluator's weights from a file that the tuning command fit-weights wrote, instead
    /// of the shipped weights
    #[arg(long, value_name = "FILE")]
    pub(super) weights: Option<PathBuf>,
}

/// The options for the evaluator and the policy network.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct EvaluatorArgs {
    #[command(flatten)]
    pub(super) weights: WeightsArgs,
    /// Read the policy network for one size of board from a file that the tuning command fit-policy
    /// wrote, instead of the shipped network
    #[arg(long, value_name = "FILE")]
    pub(super) net: Option<PathBuf>,
}

impl WeightsArgs {
    /// The evaluator. If the user gives a file of weights, it replaces the shipped weights either
    /// for boards up to 8x8 or for larger boards, depending on the board size in the file.
    pub(super) fn evaluator(&self) -> anyhow::Result<Evaluator> {
        let Some(path) = &self.weights else { return Ok(Evaluator::default()) };
        let weights = || anyhow::Ok(files::read_text(path)?.parse::<Weights>()?);
        let weights = weights().with_context(|| format!("--weights {}", path.display()))?;
        Ok(Evaluator::default().with_weights(weights.into()))
    }
}

impl EvaluatorArgs {
    /// Returns `base_options` with the evaluator, network and parameters that the user chose.
    pub(super) fn engine_options(
        &self,
        base_options: EngineOptions,
        parameters: &ParameterArgs,
    ) -> anyhow::Result<EngineOptions> {
        let (evaluator, networks) = (self.weights.evaluator()?, networks(self.net.as_ref())?);
        let mut options = EngineOptions { evaluator, networks, ..base_options };
        parameters.apply(&mut options)?;
        Ok(options)
    }
}

/// The policy networks. If the user gives a `file`, its network replaces the shipped network either
/// for boards up to 8x8 or for larger boards, depending on the board size in the file.
pub(super) fn networks(file: Option<&PathBuf>) -> anyhow::Result<Networks> {
    let Some(path) = file else { return Ok(Networks::default()) };
    let network = || anyhow::Ok(Network::from_bytes(&files::read(path, files::MAX_TEXT)?)?);
    let network = network().with_context(|| format!("--net {}", path.display()))?;
    Ok(Networks::default().with(network))
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct EngineArgs {
    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_threads)]
    pub(super) threads: usize,
    /// Memory for the search tree in bytes, or with a suffix K, M or G
    #[arg(long, value_name = "SIZE", default_value = DEFAULT_MEMORY, value_parser = parse_memory)]
    memory: usize,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    pub(super) evaluator: EvaluatorArgs,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Time limit of a move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) time: Option<Duration>,
    /// Number of playouts of a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) playouts: Option<u64>,
}

/// The options for the clock of players and for late answers.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ClockArgs {
    /// Limit wall time or CPU time. CPU time is the time of one thread for a built-in player, and
    /// of the process group for a program
    #[arg(long, value_enum, default_value = "wall")]
    pub(super) clock: Clock,
    /// Accept an answer that is late by at most this time
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = parse_grace)]
    pub(super) grace: Duration,
}

impl PositionArgs {
    pub(super) fn position(&self) -> anyhow::Result<Position> {
        let position = if self.position == "startpos" {
            self.board.start()?
        } else {
            let position = self.position.parse::<Position>();
            let position = position.with_context(|| format!("--position '{}'", self.position))?;
            self.board.expect_board_size("--position", position)?
        };
        let moves = move_list::read_moves(&self.moves).context("--moves")?;
        let game = Game::of(position, &moves).context("--moves")?;
        Ok(*game.position())
    }
}

impl EngineArgs {
    pub(super) fn options(&self) -> anyhow::Result<EngineOptions> {
        let EngineArgs { threads, memory, seed, ref parameters, ref evaluator } = *self;
        threads_warning(threads).into_iter().for_each(|warning| warn(&warning));
        evaluator
            .engine_options(EngineOptions { threads, memory, seed, ..EngineOptions::default() }, parameters)
    }
}

impl ParameterArgs {
    pub(super) fn apply(&self, options: &mut EngineOptions) -> anyhow::Result<()> {
        if let Some(path) = &self.params {
            let place = || format!("--params {}", path.display());
            let text = files::read_text(path).with_context(place)?;
            let table: toml::Table = text.parse().with_context(place)?;
            for (name, value) in &table {
                let value = match value {
                    toml::Value::Integer(whole) => whole.to_string(),
                    toml::Value::Float(real) => real.to_string(),
                    toml::Value::Boolean(switch) => switch.to_string(),
                    other => bail!("{}: {name} is a {}, expected a number", place(), other.type_str()),
                };
                options.parameters.set(name, &value).map_err(with_hint).with_context(place)?;
            }
        }
        for pair in &self.set {
            options.parameters.set_pair(pair).map_err(with_hint).context("--set")?;
        }
        Ok(())
    }
}

fn with_hint(error: ParameterError) -> anyhow::Error {
    match error {
        ParameterError::UnknownName { .. } => anyhow!("{error}; 'quiver params' lists all parameters"),
        other => other.into(),
    }
}

impl LimitArgs {
    pub(super) fn or_playouts(self, default: u64) -> Limits {
        let LimitArgs { time, playouts } = self;
        let playouts = playouts.or(time.is_none().then_some(default));
        Limits { time: time.map(Time::PerMove), playouts, ..Limits::default() }
    }

    /// The limits of a bot's turns. Without `first`, the bot has twice the time in its first turn.
    pub(super) fn turn_limits(self, first: Option<Duration>) -> TurnLimits {
        let LimitArgs { time, playouts } = self;
        let time = time.or(playouts.is_none().then_some(TURN_TIME));
        TurnLimits { first: first.or(time.map(|time| 2 * time)), time, playouts }
    }
}

/// The number of simultaneous searches: `asked` if given, or else the number of processors.
pub(super) fn worker_count(asked: Option<u16>) -> usize {
    asked.map_or_else(cores, usize::from)
}

/// Checks that the output file of an option, if any, can be written, before the work begins.
pub(super) fn expect_writable(option: &str, path: Option<&PathBuf>) -> anyhow::Result<()> {
    if let Some(path) = path {
        files::Replacement::create(path).with_context(|| format!("{option} {}", path.display()))?;
    }
    Ok(())
}

/// Checks that the output file of an option, if any, is none of the files that the command reads.
pub(super) fn expect_no_input(
    option: &str,
    path: Option<&PathBuf>,
    inputs: &[PathBuf],
) -> anyhow::Result<()> {
    let file = |path: &PathBuf| path.canonicalize().ok();
    if let Some(path) = path {
        let is_input =
            file(path).is_some_and(|output| inputs.iter().any(|input| file(input).as_ref() == Some(&output)));
        ensure!(!is_input, "{option} {}: this file is read, expected another name", path.display());
    }
    Ok(())
}
