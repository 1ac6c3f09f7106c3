//! What earlier versions offered and this one does not, each with what to use in its place.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A command that has ended, or an option or a value of a command.
struct Ended {
    command: &'static str,
    /// The option; ends with a hyphen for all options that begin so. Empty for the whole command.
    option: &'static str,
    /// The value; empty for the whole option.
    value: &'static str,
    /// Completes "it has ended:".
    instead: &'static str,
}

const fn ended(command: &'static str, option: &'static str, instead: &'static str) -> Ended {
    Ended { command, option, value: "", instead }
}

const PLAYER: &str = "give the settings of one player in --player \"SPEC time=... playouts=...\"";

const ALL: [Ended; 9] = [
    ended("local-ai", "", "upload the engine to Botzone as a C++ bot, which `quiver package` writes"),
    ended("match", "--a-", PLAYER),
    ended("match", "--b-", PLAYER),
    ended("match", "--pin", "leave it out, or start the match under `taskset`"),
    ended(
        "match",
        "--botzone-log",
        "write a record (--record FILE.jsonl), and `quiver convert FILE.jsonl LOG.json`",
    ),
    ended("match", "--table", "the ratings are on standard output, and in the report of --json and --html"),
    ended("suite", "--svg", "draw the figures of --csv FILE or --json"),
    ended("suite", "--table", "the figures are on standard output, in --csv FILE and in --json"),
    Ended { value: "spsa", ..ended("params", "--format", "--format json has every name, range and step") },
];

/// The message for a command line that clap refuses because of something that has ended; `None` for
/// any other error. `command` is the first word of the line.
pub(super) fn message(command: &str, error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.split(' ').next(),
        _ => None,
    };
    let (option, value) = match error.kind() {
        ErrorKind::InvalidSubcommand => ("", ""),
        ErrorKind::UnknownArgument => (text(ContextKind::InvalidArg)?, ""),
        ErrorKind::InvalidValue => (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?),
        _ => return None,
    };
    let is_option =
        |it: &&Ended| it.option == option || it.option.ends_with('-') && option.starts_with(it.option);
    let ended = ALL.iter().filter(is_option).find(|it| it.command == command && it.value == value)?;
    let words = [command, option, value].join(" ");
    Some(format!("{}: it has ended: {}", words.trim_end(), ended.instead))
}
