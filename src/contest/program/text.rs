//! Botzone's simplified interaction as a judge writes and reads it.

use std::fmt::Write as _;

use serde_json::Value;

use super::dialogue::{BotAnswer, Dialogue, UnreadableAnswer};
use crate::game::Coordinates;

/// The whole history, for a fresh process: the number of requests, requests and responses in turn,
/// what was kept.
pub(super) fn full(dialogue: &Dialogue, kept: &[Value; 2]) -> String {
    let mut text = format!("{}\n", dialogue.requests.len());
    for (turn, request) in dialogue.requests.iter().enumerate() {
        let _ = writeln!(text, "{request}");
        if let Some(response) = dialogue.responses.get(turn) {
            let _ = writeln!(text, "{response}");
        }
    }
    let [data, global] = kept.each_ref().map(|value| value.as_str().unwrap_or_default());
    // Also if empty: a bot that reads these lines would wait for them.
    let _ = writeln!(text, "{data}\n{global}");
    text
}

/// The last request alone, for a process that has kept running.
pub(super) fn next(request: Coordinates) -> String {
    format!("{request}\n")
}

/// Reads an answer: the move, a line of debug, a line of data, and global data for the rest.
pub(super) fn read(output: &str) -> Result<BotAnswer, UnreadableAnswer> {
    let mut lines = output.splitn(4, '\n');
    let first = lines.next().unwrap_or_default();
    let coordinates = first.trim_end().parse().map_err(|error| UnreadableAnswer(format!("{error}")))?;
    let mut kept = lines.skip(1).map(|line| match line.trim_end() {
        "" => Value::Null,
        line => Value::from(line),
    });
    Ok(BotAnswer { coordinates, kept: [kept.next().unwrap_or_default(), kept.next().unwrap_or_default()] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_the_documentation() {
        let moves: Vec<Coordinates> =
            ["-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"]
                .map(|text| text.parse().unwrap())
                .to_vec();
        let dialogue =
            Dialogue { requests: vec![moves[0], moves[2], moves[4]], responses: vec![moves[1], moves[3]] };
        let plain = "3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n0 2 0 3 3 0\n2 7 2 5 1 4\n";
        assert_eq!(full(&dialogue, &[Value::Null, Value::Null]), format!("{plain}\n\n"));
        assert_eq!(full(&dialogue, &["mine".into(), Value::Null]), format!("{plain}mine\n\n"));
        assert_eq!(next(moves[1]), "5 0 3 2 6 5\n");
    }

    #[test]
    fn answers_are_read_or_refused() {
        let bare = read("5 0 3 2 6 5").unwrap();
        assert_eq!((bare.coordinates, bare.kept), (Coordinates([5, 0, 3, 2, 6, 5]), Default::default()));
        let full = read("5 0 3 2 6 5\ndebug\nmine\nglobal 1\nglobal 2\n").unwrap();
        assert_eq!(full.kept, [Value::from("mine"), Value::from("global 1\nglobal 2")]);
        for bad in ["", "\n5 0 3 2 6 5", "move: 5 0 3 2 6 5", "5 0 3 2 6", "5 0 3 2 6 5 7", "5 0 3 2 6 5.0"] {
            read(bad).unwrap_err();
        }
    }
}
