//! Commands and options of earlier versions that were removed, each with its replacement.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const USE_PLAYER_OPTION: &str = "give the settings of one player in --player \"SPEC time=... playouts=...\"";

/// The removed features: the command, the option, the value, and what to use instead. An option
/// that ends with a hyphen stands for all options with this prefix. The option is empty if the
/// whole command was removed, and the value is empty if the whole option was removed.
const REMOVED_FEATURES: [[&str; 4]; 9] = [
    ["local-ai", "", "", "upload the engine to Botzone as a C++ bot, which `quiver package` writes"],
    ["match", "--a-", "", USE_PLAYER_OPTION],
    ["match", "--b-", "", USE_PLAYER_OPTION],
    ["match", "--pin", "", "leave it out, or start the match under `taskset`"],
    [
        "match",
        "--botzone-log",
        "",
        "write a record with --record FILE.jsonl, and convert it with `quiver convert FILE.jsonl LOG.json`",
    ],
    ["match", "--table", "", "the ratings are on standard output, and in the report of --json and --html"],
    ["suite", "--svg", "", "draw the figures of --csv FILE or --json"],
    ["suite", "--table", "", "the figures are on standard output, in --csv FILE and in --json"],
    ["params", "--format", "spsa", "--format json has every name, range and step"],
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
    let is_used = |[known_command, known_option, known_value, _]: &&[&str; 4]| {
        let has_prefix = known_option.ends_with('-') && option.starts_with(known_option);
        (*known_command, *known_value) == (command, value) && (*known_option == option || has_prefix)
    };
    let [.., instead] = REMOVED_FEATURES.iter().find(is_used)?;
    let words = [command, option, value].join(" ");
    Some(format!("{}: removed from quiver: {instead}", words.trim_end()))
}
