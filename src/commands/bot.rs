//! `quiver bot`: a Botzone bot on standard input and output.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};

use super::Failed;
use super::options::{BoardOptions, EngineArgs, LimitOptions, named, parse_seconds};
use crate::botzone::{BotError, BotSettings, StartChoice, opening_book};
use crate::files;
use crate::players::PlayerKind;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Time for the first turn of the match [default: twice --time; none with --playouts alone]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// Answer one request and end, without asking to be kept running
    #[arg(long)]
    no_keep_running: bool,
    /// The player: quiver, greedy, campya, random or level1 to level14
    #[arg(long, value_name = "NAME", default_value_t = PlayerKind::Quiver)]
    player: PlayerKind,
    #[command(flatten)]
    limits: LimitOptions,
    /// Owners of the 10x10 start squares, until the history shows them. formula: the
    /// upper half belongs to the first player, as in the judge's program; left: the left half, as
    /// the text of Botzone's page says; auto: as formula, but until the history tells move only
    /// amazons whose owner is the same in both
    #[arg(long, value_name = "START", default_value = "formula", value_parser = named::<StartChoice>)]
    start: StartChoice,
    /// Open by this book, as `quiver book make` writes it, in place of the shipped ones of 8x8 and 10x10
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Open without a book
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    /// Append input, output and the engine's messages to a file, with times
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    pub(super) board: BoardOptions,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

impl Args {
    pub(super) fn settings(&self) -> anyhow::Result<BotSettings> {
        Ok(BotSettings {
            player: self.player,
            board: self.board.board,
            board_choice: self.board.choice,
            start: self.start,
            limits: self.limits.of_turns(self.first_time),
            keep_running: !self.no_keep_running,
            engine: self.engine.options()?,
            book: self.book()?,
            log: self.log.clone(),
        })
    }

    /// The text of the opening book; `None` for the shipped ones.
    fn book(&self) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.book else { return Ok(self.no_book.then(String::new)) };
        let player = self.player;
        ensure!(player == PlayerKind::Quiver, "--book: player {player} has no book, expected quiver");
        let place = || format!("--book {}", path.display());
        let text = files::read_text(path).with_context(place)?;
        opening_book(player, Some(&text), self.board.board).with_context(place)?;
        Ok(Some(text))
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    quiver_bot::run(&args.settings()?).map_err(|error| match error {
        BotError::Refused(_) => error.into(),
        // Status 1 for what failed here, a closed output included; bad input keeps status 2.
        _ => Failed(error.to_string()).into(),
    })
}
