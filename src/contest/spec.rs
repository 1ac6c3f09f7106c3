//! A player's name: the SPEC of the command line and of tournament files.

use std::fmt;
use std::str::FromStr;

use super::fault::InputError;
use crate::botzone::request::Form;
use crate::messages::excerpt;
use crate::players::PlayerKind;
use crate::search::Parameters;

/// A player as a user names it: `quiver`, `quiver:exploration=0.4`, `random`, `cmd:./bot --fast`,
/// ...
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerSpec {
    /// A built-in player and the search parameters that differ from the match's, as `name=value`.
    BuiltIn { kind: PlayerKind, settings: Vec<String> },
    Program {
        protocol: Protocol,
        /// The program and its arguments; at least the program.
        command: Vec<String>,
    },
}

/// The protocol of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// A form of Botzone's, one process a turn or kept running.
    Botzone(Form),
    /// UCI with the variant `amazons`.
    Uci,
}

impl FromStr for PlayerSpec {
    type Err = InputError;

    fn from_str(text: &str) -> Result<PlayerSpec, InputError> {
        let error = |why: &dyn fmt::Display| InputError(format!("'{}': {why}", excerpt(text, 80)));
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let protocol = match name {
            "cmd" => Some(Protocol::Botzone(Form::Json)),
            "text" => Some(Protocol::Botzone(Form::Text)),
            "uci" => Some(Protocol::Uci),
            _ => None,
        };
        if let Some(protocol) = protocol {
            let command = words(rest.unwrap_or_default()).ok_or_else(|| error(&"a quote is not closed"))?;
            if command.is_empty() {
                return Err(error(&"expected a command after the colon, as in cmd:./bot"));
            }
            return Ok(PlayerSpec::Program { protocol, command });
        }
        let kind: PlayerKind = name.parse().map_err(|unknown| {
            InputError(format!("{unknown}, or a program as cmd:COMMAND, text:COMMAND or uci:COMMAND"))
        })?;
        let settings: Vec<String> =
            rest.map_or(Vec::new(), |list| list.split(',').map(|pair| pair.trim().to_owned()).collect());
        if kind != PlayerKind::Quiver && rest.is_some() {
            return Err(error(&format!("{kind} has no parameters; expected {kind} alone")));
        }
        let mut checked = Parameters::default();
        for pair in &settings {
            checked.set_pair(pair).map_err(|cause| error(&cause))?;
        }
        Ok(PlayerSpec::BuiltIn { kind, settings })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::BuiltIn { kind, settings } if settings.is_empty() => write!(f, "{kind}"),
            PlayerSpec::BuiltIn { kind, settings } => write!(f, "{kind}:{}", settings.join(",")),
            PlayerSpec::Program { protocol, command } => {
                let name = match protocol {
                    Protocol::Botzone(Form::Json) => "cmd",
                    Protocol::Botzone(Form::Text) => "text",
                    Protocol::Uci => "uci",
                };
                write!(f, "{name}:")?;
                let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
                f.write_str(&words.join(" "))
            }
        }
    }
}

/// A word as a shell reads it, and as the SPEC of a program does: in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Splits a command into words as a shell would: blanks, single and double quotes, backslashes, and
/// nothing else: for variables and globs, a user writes `cmd:sh -c '...'`. `None` if a quote stays
/// open.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            blank if blank.is_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(characters.next()?),
            quote @ ('\'' | '"') => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        end if end == quote => break,
                        '\\' if quote == '"' => word.push(characters.next()?),
                        inside => word.push(inside),
                    }
                }
            }
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
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
            "cmd:./bot --fast",
            "text:python3 'my bot.py' ''",
            r"uci:sh -c 'echo '\''a  b'\'''",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn commands_are_split_as_a_shell_would() {
        let split = |text| words(text).map(|words| words.join("|"));
        assert_eq!(split(r#"  a "b c" d\ e 'f"g' "h\"i" j''k "#).as_deref(), Some(r#"a|b c|d e|f"g|h"i|jk"#));
        assert_eq!(split("''"), Some(String::new()));
        for open in ["'a", "\"a", "a\\", "\"a\\"] {
            assert_eq!(split(open), None, "{open}");
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        for (word, expected) in [
            ("--a", "--a"),
            ("quiver:exploration=0.4", "quiver:exploration=0.4"),
            ("cmd:python3 bot.py", "'cmd:python3 bot.py'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(word), expected);
            assert_eq!(words(&quoted(word)), Some(vec![word.to_owned()]));
        }
    }

    #[test]
    fn what_names_no_player_is_refused_with_a_reason() {
        let cases = [
            ("quivr", "no player is called 'quivr'"),
            ("", "no player is called ''"),
            ("quivr", "cmd:COMMAND"),
            ("quiver:exploraton=1", "did you mean 'exploration'"),
            ("quiver:", "expected name=value"),
            ("random:exploration=1", "random has no parameters"),
            ("cmd:", "expected a command"),
            ("uci", "expected a command"),
            ("text:'a", "a quote is not closed"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
