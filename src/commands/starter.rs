//! `quiver starter`: writes the source of a small Botzone bot, as a beginning for a user's own bot.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use shell_words::quote;

use super::print;
use crate::messages::printable;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StarterLanguage {
    Python,
    Cpp,
}

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The programming language of the bot
    #[arg(long, value_name = "LANGUAGE")]
    language: StarterLanguage,
    /// The folder for the bot, which is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let (name, source) = match args.language {
        StarterLanguage::Python => ("bot.py", include_str!("../botzone/starter/bot.py")),
        StarterLanguage::Cpp => ("bot.cpp", include_str!("../botzone/starter/bot.cpp")),
    };
    let path = args.folder.join(name);
    let write = || {
        fs::create_dir_all(&args.folder)?;
        // `create_new` never overwrites a bot that the user has changed.
        OpenOptions::new().write(true).create_new(true).open(&path)?.write_all(source.as_bytes())
    };
    write().with_context(|| format!("{}: expected a new file", path.display()))?;
    let (source, program) = (path.to_string_lossy(), path.with_extension(""));
    let [quoted, program] = [source.clone(), program.to_string_lossy()].map(|path| quote(&path).into_owned());
    let commands = match args.language {
        StarterLanguage::Python => format!("quiver check \"cmd:python3 {quoted}\""),
        StarterLanguage::Cpp => {
            format!("g++ -O2 {quoted} -o {program}\nquiver check {}", quote(&format!("cmd:{program}")))
        }
    };
    print(printable(&format!(
        "{source} plays random legal moves. Write your own `choose`, and check the bot:\n\n{commands}\n"
    )))
}
