//! Commands and options of earlier versions that were removed, each with its replacement.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A command, an option or a value of an option that was removed.
struct RemovedFeature {
    command: &'static str,
    /// The option's name, or a prefix that ends with a hyphen. Empty if the whole command was
    /// removed.
    option: &'static str,
    /// The value that was removed. Empty if the whole option was removed.
    value: &'static str,
    instead: &'static str,
}

const fn removed(command: &'static str, option: &'static str, instead: &'static str) -> RemovedFeature {
    RemovedFeature { command, option, value: "", instead }
}

const USE_PLAYER_OPTION: &str = "give the settings of one player in --player \"SPEC time=... playouts=...\"";

const REMOVED: [RemovedFeature; 9] = [
    removed("local-ai", "", "upload the engine to Botzone as a C++ bot, which `quiver package` writes"),
    removed("match", "--a-", USE_PLAYER_OPTION),
    removed("match", "--b-", USE_PLAYER_OPTION),
    removed("match", "--pin", "leave it out, or start the match under `taskset`"),
    removed(
        "match",
        "--botzone-log",
        "write a record with --record FILE.jsonl, and convert it with `quiver convert FILE.jsonl LOG.json`",
    ),
    removed("match", "--table", "the ratings are on standard output, and in the report of --json and --html"),
    removed("suite", "--svg", "draw the figures of --csv FILE or --json"),
    removed("suite", "--table", "the figures are on standard output, in --csv FILE and in --json"),
    RemovedFeature {
        value: "spsa",
        ..removed("params", "--format", "--format json has every name, range and step")
    },
];

/// The error message for a command line that uses a removed feature; `None` for any other error of
/// clap. `command` is the first word after the program's name.
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
    let is_option = |it: &&RemovedFeature| {
        it.option == option || it.option.ends_with('-') && option.starts_with(it.option)
    };
    let removed = REMOVED.iter().filter(is_option).find(|it| it.command == command && it.value == value)?;
    let words = [command, option, value].join(" ");
    Some(format!("{}: removed from quiver: {}", words.trim_end(), removed.instead))
}
