//! `quiver bot`: a Botzone bot on standard input and output.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};

use super::failed;
use super::options::{BoardArgs, EngineArgs, LimitArgs};
use super::value_parsers::{parse_seconds, parse_serde_name};
use crate::botzone::{BotError, BotSettings, StartChoice, opening_book};
use crate::files;
use crate::players::PlayerKind;

#[derive(Debug, clap::Args)]
#[command(mut_arg("time", |time| time.help("Time limit of a move [default: 1, without --playouts]")))]
pub(super) struct Args {
    /// Time for the first turn of the match [default: twice --time; no limit with --playouts alone]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// Answer one request and end, instead of asking Botzone to keep the bot running
    #[arg(long)]
    no_keep_running: bool,
    /// The player: quiver, greedy, campya, random or level1 to level14
    #[arg(long, value_name = "NAME", default_value_t = PlayerKind::Quiver)]
    player: PlayerKind,
    #[command(flatten)]
    limits: LimitArgs,
    /// The owners of the start squares on 10x10, which the bot assumes until the match's moves show
    /// them. formula: the first player owns the lower half, as in the judge's program; left: the
    /// first player owns the left half, as in the text of Botzone's page; auto: as formula, but
    /// until the moves show the owners, the bot moves only amazons that it owns under both formula
    /// and left
    #[arg(long, value_name = "START", default_value = "formula", value_parser = parse_serde_name::<StartChoice>)]
    start: StartChoice,
    /// An opening book that `quiver book make` wrote, in place of the shipped books for 8x8 and
    /// 10x10
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Play without an opening book
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    /// Append the input, the output and the engine's messages to this file, each line with its time
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    pub(super) board: BoardArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

impl Args {
    pub(super) fn settings(&self) -> anyhow::Result<BotSettings> {
        Ok(BotSettings {
            player: self.player,
            board: self.board.board,
            board_choice: self.board.board_choice,
            start: self.start,
            limits: self.limits.turn_limits(self.first_time),
            keep_running: !self.no_keep_running,
            engine: self.engine.options()?,
            book: self.book_text()?,
            log: self.log.clone(),
        })
    }

    /// The text of the user's opening book: empty for no book, `None` for the shipped books.
    fn book_text(&self) -> anyhow::Result<Option<String>> {
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
        // Bad input has exit status 2; every other failure, such as a closed output, has status 1.
        _ => failed(error).into(),
    })
}
