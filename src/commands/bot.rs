//! `quiver bot`: a Botzone bot on standard input and output.

use std::path::PathBuf;
use std::time::Duration;

use super::Failed;
use super::options::{BoardOrigin, EngineArgs, parse_seconds};
use crate::botzone::{BotSettings, StartChoice, TurnLimits};
use crate::players::PlayerKind;

/// The default limit of a turn: Botzone's for C++.
const TIME: Duration = Duration::from_secs(1);

/// The same for the first turn of a match.
const FIRST_TIME: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The player: quiver, greedy, random or campya
    #[arg(long, value_name = "NAME", default_value_t = PlayerKind::Quiver)]
    player: PlayerKind,
    /// Time for a move [default: 1; none with --playouts]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Playouts for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Time for the first turn of the match [default: 2; none with --playouts]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// Answer one request and end, without asking to be kept running
    #[arg(long)]
    no_keep_running: bool,
    /// Which 10x10 start squares belong to which player, until the history shows it
    #[arg(long, value_enum, default_value = "formula")]
    start: StartArg,
    /// Append input, output and the engine's messages to a file, with times
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    pub(super) board: BoardOrigin,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum StartArg {
    /// The upper half belongs to the first player, as in the judge's program
    Formula,
    /// The left half belongs to the first player, as the text of Botzone's page says
    Left,
    /// As formula, but until the history tells move only amazons whose owner is the same in both
    Auto,
}

impl From<StartArg> for StartChoice {
    fn from(arg: StartArg) -> StartChoice {
        match arg {
            StartArg::Formula => StartChoice::Formula,
            StartArg::Left => StartChoice::Left,
            StartArg::Auto => StartChoice::Auto,
        }
    }
}

impl Args {
    pub(super) fn settings(&self) -> anyhow::Result<BotSettings> {
        Ok(BotSettings {
            player: self.player,
            board: self.board.board,
            board_choice: self.board.choice(),
            start: self.start.into(),
            limits: self.turn_limits(),
            keep_running: !self.no_keep_running,
            engine: self.engine.options()?,
            log: self.log.clone(),
        })
    }

    pub(super) fn has_own_weights(&self) -> bool {
        self.engine.evaluator.weights.is_some() || self.engine.evaluator.net.is_some()
    }

    /// The limits of the turns. With `--playouts` no default times apply.
    fn turn_limits(&self) -> TurnLimits {
        let Args { time, playouts, .. } = *self;
        let or_default = |time: Option<Duration>, default| time.or(playouts.is_none().then_some(default));
        TurnLimits { first: or_default(self.first_time, FIRST_TIME), time: or_default(time, TIME), playouts }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    args.settings()?.run().map_err(|error| {
        // Status 1 for what failed here, a closed output included; bad input keeps status 2.
        let is_bad_input = error.is_bad_input();
        let error = anyhow::Error::from(error);
        if is_bad_input { error } else { Failed(format!("{error:#}")).into() }
    })
}
