//! Parses what the user writes: the SPEC of a player, and the players of a contest in a TOML file.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::PlayerSettings;
use crate::InputError;
use crate::messages::excerpt;
use crate::players::PlayerKind;
use crate::search::ParameterSettings;
use quiver_bot::request::RequestForm;

/// A player as users write it, such as `quiver`, `quiver:exploration=0.4` or `cmd:./bot --fast`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerSpec {
    /// A built-in player, and search parameters as `name=value` that override its defaults.
    BuiltIn { kind: PlayerKind, settings: Vec<String> },
    /// A program, started by a command with arguments.
    Program { protocol: Protocol, command: Vec<String> },
}

/// The protocol of a program. All programs except Botzone bots are engines. The referee starts an
/// engine before a game's first turn and uses the same process until the game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Botzone's protocol, in JSON or simplified text. The bot may keep its process between turns.
    Botzone(RequestForm),
    /// UCI with the variant `amazons`.
    Uci,
    /// GTP in KataGo's dialect for Amazons.
    Gtp,
    /// The protocol of a university contest's platform (SAU Game Platform).
    Contest,
}

impl Protocol {
    /// All protocols, each with the prefix by which a SPEC selects it, as in `uci:COMMAND`.
    const ALL: [(&str, Protocol); 5] = [
        ("cmd", Protocol::Botzone(RequestForm::Json)),
        ("text", Protocol::Botzone(RequestForm::Text)),
        ("uci", Protocol::Uci),
        ("gtp", Protocol::Gtp),
        ("contest", Protocol::Contest),
    ];
}

impl FromStr for PlayerSpec {
    type Err = InputError;

    fn from_str(text: &str) -> Result<PlayerSpec, InputError> {
        let error = |why: &dyn fmt::Display| InputError(format!("'{}': {why}", excerpt(text, 80)));
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        if let Some((_, protocol)) = Protocol::ALL.into_iter().find(|(known, _)| *known == name) {
            let command = split(rest.unwrap_or_default()).map_err(|_| error(&"a quote is not closed"))?;
            if command.is_empty() {
                return Err(error(&"expected a command after the colon, as in cmd:./bot"));
            }
            return Ok(PlayerSpec::Program { protocol, command });
        }
        let kind: PlayerKind = name.parse().map_err(|unknown| {
            let programs = "cmd:COMMAND, text:COMMAND, uci:COMMAND, gtp:COMMAND or contest:COMMAND";
            InputError(format!("{unknown}, or a program as {programs}"))
        })?;
        let settings: Vec<String> =
            rest.map_or(Vec::new(), |list| list.split(',').map(|pair| pair.trim().to_owned()).collect());
        if kind != PlayerKind::Quiver && rest.is_some() {
            return Err(error(&format!("{kind} has no parameters; expected {kind} alone")));
        }
        let mut checked = ParameterSettings::default();
        for pair in &settings {
            checked.set_pair(pair).map_err(|cause| error(&cause))?;
        }
        Ok(PlayerSpec::BuiltIn { kind, settings })
    }
}

/// Splits a command line as a shell does, but on Windows a backslash is an ordinary character.
pub(super) fn split(text: &str) -> Result<Vec<String>, shell_words::ParseError> {
    if cfg!(not(windows)) {
        return shell_words::split(text);
    }
    // `shell_words` would read a backslash as an escape, so each backslash is doubled. In single
    // quotes a backslash is never an escape and stays as it is.
    let mut quote = None;
    let mut escaped = String::new();
    for letter in text.chars() {
        match (letter, quote) {
            ('\\', None | Some('"')) => escaped.push('\\'),
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        escaped.push(letter);
    }
    shell_words::split(&escaped)
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::BuiltIn { kind, settings } if settings.is_empty() => write!(f, "{kind}"),
            PlayerSpec::BuiltIn { kind, settings } => write!(f, "{kind}:{}", settings.join(",")),
            PlayerSpec::Program { protocol, command } => {
                let mut names = Protocol::ALL.into_iter().filter(|(_, known)| known == protocol);
                names.try_for_each(|(name, _)| write!(f, "{name}:{}", shell_words::join(command)))
            }
        }
    }
}

impl Default for PlayerSpec {
    fn default() -> PlayerSpec {
        PlayerSpec::BuiltIn { kind: PlayerKind::Quiver, settings: Vec::new() }
    }
}

impl PlayerSpec {
    pub(crate) fn bot(form: RequestForm, command: &[String]) -> PlayerSpec {
        PlayerSpec::Program { protocol: Protocol::Botzone(form), command: command.to_vec() }
    }

    pub(crate) fn protocol(&self) -> Option<Protocol> {
        if let PlayerSpec::Program { protocol, .. } = self { Some(*protocol) } else { None }
    }

    pub(super) fn command(&self) -> &[String] {
        if let PlayerSpec::Program { command, .. } = self { command } else { &[] }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TournamentFormat {
    /// Each player meets every other player.
    #[default]
    RoundRobin,
    /// The first player meets every other player.
    Gauntlet,
    /// Each player meets the next player in the list, or the next N with `reach=N`.
    Neighbours,
}

/// The players of a contest and which of them meet, from options or a tournament's file. A player's
/// own setting overrides the command line, which overrides the setting at the top of the file.
/// `tournaments.md` has an example.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ContestSpec {
    pub format: TournamentFormat,
    /// The name or SPEC of the anchor: a player with a fixed rating. With an anchor, the error of a
    /// rating is the error of the difference between this rating and the anchor's rating.
    pub anchor: Option<String>,
    pub anchor_elo: f64,
    #[serde(flatten)]
    pub each: PlayerSettings,
    pub player: Vec<PlayerSettings>,
}

/// The shipped ladder for a board of `side` x `side`: built-in players from weak to strong.
pub(crate) fn shipped_ladder(side: usize) -> Result<ContestSpec, InputError> {
    let file = match side {
        8 => include_str!("ladders/8.toml"),
        10 => include_str!("ladders/10.toml"),
        _ => {
            let expected = "expected --board 8 or 10";
            return Err(InputError(format!("no ladder is shipped for {side}x{side}: {expected}")));
        }
    };
    toml::from_str(file).map_err(|error| InputError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_survive_their_text() {
        for text in [
            "quiver",
            "quiver:exploration=0.4,playout_plies=3",
            "random",
            "greedy",
            "cmd:./bot --fast '$HOME'",
            "text:python3 'my bot.py' ''",
            "gtp:katago gtp -config gtp.cfg",
            "contest:./engine",
            r"uci:sh -c 'echo '\''a  b'\'''",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
    }
}
