//! Botzone's JSON as a judge writes and reads it.

use serde_json::{Value, json};

use super::dialogue::{BotAnswer, Dialogue, UnreadableAnswer};
use crate::botzone::request::LEAST_MILLISECONDS;
use crate::contest::contestant::Budget;
use crate::game::Coordinates;

/// The whole history, for a fresh process.
pub(super) fn full(
    dialogue: &Dialogue,
    budget: Budget,
    memory_limit: Option<u64>,
    kept: &[Value; 2],
) -> String {
    let mut request = json!({"requests": dialogue.requests, "responses": dialogue.responses});
    for (name, value) in ["data", "globaldata"].into_iter().zip(kept) {
        if !value.is_null() {
            request[name] = value.clone();
        }
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
pub(super) fn next(request: Coordinates) -> String {
    format!("{}\n", json!(request))
}

/// Reads an answer: one object with `response`, and perhaps `data` and `globaldata` to be kept.
pub(super) fn read(output: &str) -> Result<BotAnswer, UnreadableAnswer> {
    let expected = r#"expected {"response":{"x0":..,"y0":..,"x1":..,"y1":..,"x2":..,"y2":..}}"#;
    let whole: Value = serde_json::from_str(output.trim())
        .map_err(|error| UnreadableAnswer(format!("{error}; {expected}")))?;
    let response =
        whole.get("response").ok_or_else(|| UnreadableAnswer(format!("no response; {expected}")))?;
    let coordinates = Some(response)
        .filter(|response| response.is_object())
        .and_then(|response| serde_json::from_value(response.clone()).ok())
        .ok_or_else(|| UnreadableAnswer(format!("response is {response}; {expected}")))?;
    let kept = ["data", "globaldata"].map(|name| whole.get(name).cloned().unwrap_or_default());
    Ok(BotAnswer { coordinates, kept })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn requests_have_what_a_bot_reads() {
        let moves = [Coordinates::NONE, Coordinates([5, 0, 3, 2, 6, 5]), Coordinates([0, 5, 4, 5, 3, 4])];
        let dialogue = Dialogue { requests: vec![moves[0], moves[2]], responses: vec![moves[1]] };
        let budget = Budget { time: Some(Duration::from_millis(1500)), ..Budget::default() };
        let text = full(&dialogue, budget, Some(256 << 20), &[json!("mine"), Value::Null]);
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
        let request: Value =
            serde_json::from_str(&full(&dialogue, short, None, &Default::default())).unwrap();
        assert_eq!(request["time_limit"], 0.03);
        assert_eq!(serde_json::from_str::<Value>(&next(moves[1])).unwrap(), json!(moves[1]));
    }

    #[test]
    fn answers_are_read_or_refused() {
        let good = r#" {"response":{"y0":0,"x0":5,"x1":3,"y1":2,"x2":6,"y2":5},"debug":"d","data":{"a":1}} "#;
        let answer = read(good).unwrap();
        assert_eq!(answer.coordinates, Coordinates([5, 0, 3, 2, 6, 5]));
        assert_eq!(answer.kept, [json!({"a": 1}), Value::Null]);
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
            assert!(read(bad).unwrap_err().0.contains("expected {\"response\""), "{bad}");
        }
    }
}
