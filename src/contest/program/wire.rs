//! Botzone's JSON and its simplified interaction, as a judge writes and reads them.

use serde_json::{Value, json};

use crate::botzone::request::{Form, LEAST_MILLISECONDS};
use crate::contest::contestant::Budget;
use crate::game::{Coordinates, Game, Side};

/// The parts of an answer beside its move: `debug`, and `data` and `globaldata`, which the bot's next
/// process gets.
pub(in crate::contest) type Extras = [Value; 3];

const EXTRAS: [&str; 3] = ["debug", "data", "globaldata"];

/// A game that began at a start position, from the side of the player to move: request, response,
/// request and so on. The first player's first request is [`Coordinates::NONE`].
pub(super) fn history(game: &Game) -> Vec<Coordinates> {
    let none = (game.position().to_move() == Side::First).then_some(Coordinates::NONE);
    none.into_iter().chain(game.moves().into_iter().map(Coordinates::from)).collect()
}

/// The whole history, for a fresh process.
pub(super) fn full(
    form: Form,
    history: &[Coordinates],
    budget: Budget,
    memory_limit: Option<u64>,
    extras: &Extras,
) -> String {
    if form == Form::Text {
        // The number of requests, requests and responses in turn, and the lines that were kept; also
        // if empty: a bot that reads these lines would wait for them.
        let turns: String = history.iter().map(|turn| format!("{turn}\n")).collect();
        let [_, data, global] = extras.each_ref().map(|value| value.as_str().unwrap_or_default());
        return format!("{}\n{turns}{data}\n{global}\n", history.len().div_ceil(2));
    }
    let turns = |first: usize| history.iter().skip(first).step_by(2).collect::<Vec<_>>();
    let mut request = json!({"requests": turns(0), "responses": turns(1)});
    for (name, value) in EXTRAS.into_iter().zip(extras).skip(1).filter(|(_, value)| !value.is_null()) {
        request[name] = value.clone();
    }
    if let Some(time) = budget.time {
        let milliseconds = time.as_millis() as u64;
        // As the bot of this crate reads it: fewer milliseconds would be taken for seconds.
        request["time_limit"] =
            if milliseconds < LEAST_MILLISECONDS { json!(time.as_secs_f64()) } else { json!(milliseconds) };
    }
    if let Some(bytes) = memory_limit {
        request["memory_limit"] = json!(bytes >> 20);
    }
    format!("{request}\n")
}

/// The last request alone, for a process that has kept running.
pub(super) fn next(form: Form, request: Coordinates) -> String {
    match form {
        Form::Json => format!("{}\n", json!(request)),
        Form::Text => format!("{request}\n"),
    }
}

/// Reads an answer; the error says what was expected.
pub(in crate::contest) fn read(form: Form, output: &str) -> Result<(Coordinates, Extras), String> {
    match form {
        Form::Json => read_json(output),
        Form::Text => read_text(output),
    }
}

/// One object with `response`, and perhaps [`EXTRAS`].
fn read_json(output: &str) -> Result<(Coordinates, Extras), String> {
    let expected = r#"expected {"response":{"x0":..,"y0":..,"x1":..,"y1":..,"x2":..,"y2":..}}"#;
    let whole: Value = serde_json::from_str(output.trim()).map_err(|error| format!("{error}; {expected}"))?;
    let response = whole.get("response").ok_or_else(|| format!("no response; {expected}"))?;
    let coordinates = Some(response)
        .filter(|response| response.is_object())
        .and_then(|response| serde_json::from_value(response.clone()).ok())
        .ok_or_else(|| format!("response is {response}; {expected}"))?;
    Ok((coordinates, EXTRAS.map(|name| whole.get(name).cloned().unwrap_or_default())))
}

/// The move, a line of debug, a line of data, and global data for the rest.
fn read_text(output: &str) -> Result<(Coordinates, Extras), String> {
    let mut lines = output.splitn(4, '\n');
    let first = lines.next().unwrap_or_default();
    let coordinates = first.trim_end().parse().map_err(|error| format!("{error}"))?;
    let extras = EXTRAS.map(|_| match lines.next().unwrap_or_default().trim_end() {
        "" => Value::Null,
        line => Value::from(line),
    });
    Ok((coordinates, extras))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn numbers(texts: &[&str]) -> Vec<Coordinates> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn json_requests_have_what_a_bot_reads() {
        let moves = numbers(&["-1 -1 -1 -1 -1 -1", "0 5 4 5 3 4", "5 0 3 2 6 5"]);
        let budget = Budget { time: Some(Duration::from_millis(1500)), ..Budget::default() };
        let text =
            full(Form::Json, &moves, budget, Some(256 << 20), &[json!("debug"), json!("mine"), Value::Null]);
        assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
        let request: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(request["requests"][0]["y2"], -1);
        assert_eq!(request["requests"][1], json!(moves[2]));
        assert_eq!(request["responses"], json!([moves[1]]));
        assert_eq!(
            (&request["data"], &request["time_limit"], &request["memory_limit"]),
            (&json!("mine"), &json!(1500), &json!(256))
        );
        assert!(request.get("globaldata").is_none());
        let short = Budget { time: Some(Duration::from_millis(30)), ..Budget::default() };
        let short = full(Form::Json, &moves, short, None, &Extras::default());
        assert_eq!(serde_json::from_str::<Value>(&short).unwrap()["time_limit"], 0.03);
        let next = next(Form::Json, moves[1]);
        assert_eq!(serde_json::from_str::<Value>(&next).unwrap(), json!(moves[1]));
    }

    #[test]
    fn text_requests_are_those_of_the_documentation() {
        let plain = ["-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"];
        let moves = numbers(&plain);
        let plain = plain.join("\n");
        let written = |extras| full(Form::Text, &moves, Budget::default(), None, &extras);
        assert_eq!(written(Extras::default()), format!("3\n{plain}\n\n\n"));
        assert_eq!(written(["debug".into(), "mine".into(), Value::Null]), format!("3\n{plain}\nmine\n\n"));
        assert_eq!(next(Form::Text, moves[1]), "5 0 3 2 6 5\n");
    }

    #[test]
    fn answers_are_read_or_refused() {
        let expected = Coordinates([5, 0, 3, 2, 6, 5]);
        let good = r#" {"response":{"y0":0,"x0":5,"x1":3,"y1":2,"x2":6,"y2":5},"debug":"d","data":{"a":1}} "#;
        assert_eq!(read(Form::Json, good), Ok((expected, [json!("d"), json!({"a": 1}), Value::Null])));
        for bad in [
            "",
            "hello",
            "5 0 3 2 6 5",
            r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#,
            r#"{"response":{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6}}"#,
            r#"{"response":{"x0":5.0,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}}"#,
            r#"{"response":{"x0":"5","y0":0,"x1":3,"y1":2,"x2":6,"y2":5}}"#,
            r#"{"response":{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}} and more"#,
            r#"{"response":null}"#,
        ] {
            assert!(read(Form::Json, bad).unwrap_err().contains("expected {\"response\""), "{bad}");
        }
        assert_eq!(read(Form::Text, "5 0 3 2 6 5"), Ok((expected, Extras::default())));
        let extras = ["debug", "mine", "global 1\nglobal 2"].map(Value::from);
        let full = "5 0 3 2 6 5\ndebug\nmine\nglobal 1\nglobal 2\n";
        assert_eq!(read(Form::Text, full), Ok((expected, extras)));
        for bad in ["", "\n5 0 3 2 6 5", "move: 5 0 3 2 6 5", "5 0 3 2 6", "5 0 3 2 6 5 7", "5 0 3 2 6 5.0"] {
            read(Form::Text, bad).unwrap_err();
        }
    }
}
