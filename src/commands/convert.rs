//! `quiver convert`: converts games from one format into another.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;

use super::games;
use super::options::BoardArgs;
use crate::formats::{self, Format};
use crate::messages::counted;

const AFTER_HELP: &str = "\
The extension of OUT, or --to, names the format: sgf (GM[18]), json (Botzone log), jsonl (match record), txt \
(moves), pgn (only the results, for Ordo and BayesElo), am (the record of the Chinese university contest), stages.sgf \
and amazons.json (files of a graphical program for GTP engines). The format and the charset of IN are detected; IN may \
be compressed by gzip. src/formats/guide.md says what each format keeps.

Exit status: 0 if OUT was written; 1 if writing failed; 2 if a game of IN cannot be read or cannot be written in the \
format of OUT. With status 2 nothing is written.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The games: a file in any format but PGN, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, which must not exist yet; or - for standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format to write, if the name of OUT does not tell it
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::extensions()))]
    to: Option<String>,
    #[command(flatten)]
    board: BoardArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let file = || Some(args.output.file_name()?.to_string_lossy().to_ascii_lowercase());
    let format =
        args.to.clone().or_else(file).and_then(|name| Format::of_file_name(&name)).with_context(|| {
            let names: Vec<&str> = Format::extensions().collect();
            format!(
                "{}: no format has this extension, expected --to {}",
                args.output.display(),
                names.join(", ")
            )
        })?;
    let standard_output = args.output == Path::new("-");
    let exists = !standard_output && args.output.symlink_metadata().is_ok();
    ensure!(!exists, "{} exists: expected another name", args.output.display());
    let (from, games) = games::read(&args.input, args.board.board)?;
    let source = args.input.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let text = formats::write(format, &games, &source).with_context(|| games::input_name(&args.input))?;
    if standard_output {
        return Ok(io::stdout().lock().write_all(text.as_bytes())?);
    }
    super::write_result("OUT", &args.output, text)?;
    super::print(format_args!("{}, {from} to {format}\n", counted(games.len(), "game", "games")))
}
