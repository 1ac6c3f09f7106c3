//! A Botzone bot as a player. Like Botzone's judge, this module sends requests in JSON or in
//! simplified text, and starts a new process in each turn unless the bot asks to keep its process.

use std::sync::Arc;

use amazons::{Move, Side};
use quiver_bot::Coordinates;
use serde_json::{Value, json};

use super::exchange::{Exchange, LineKind};
use super::exchange_watch::Limit;
use super::group::ProcessGroup;
use super::processes::ProcessFamily;
use crate::contest::{Budget, Contestant, Entrant, GameContext, LaunchError, PlayerFault, TurnResult};
use crate::games::{EndKind, Game};
use crate::messages::excerpt;
use quiver_bot::request::{KEEP_RUNNING, LEAST_MILLISECONDS, RequestForm};

/// The most bytes of a bot's output in a turn that are kept for reports.
const MAX_REPORTED_OUTPUT: usize = 2000;

pub(in crate::contest) struct Bot<'a> {
    form: RequestForm,
    entrant: &'a Entrant,
    context: GameContext<'a>,
    family: Arc<ProcessFamily>,
    /// The bot's process, if the bot asked in its last turn to keep this process running.
    running: Option<ProcessGroup>,
    extras: Extras,
}

impl<'a> Bot<'a> {
    pub(in crate::contest) fn new(
        form: RequestForm,
        entrant: &'a Entrant,
        context: GameContext<'a>,
    ) -> Bot<'a> {
        let (family, extras) = (Arc::new(ProcessFamily::new()), Extras::default());
        Bot { form, entrant, context, family, running: None, extras }
    }

    fn read(&mut self, output: &[u8], running: bool) -> Result<Move, PlayerFault> {
        // A process that keeps running may have written blank lines before its answer.
        let bytes = if running { output.trim_ascii_start() } else { output };
        // The old answer's `data` and `globaldata` are dropped, even if the new answer is invalid.
        self.extras = Extras::default();
        if !running && bytes.trim_ascii().is_empty() {
            return Err(PlayerFault::new(EndKind::Crash, "ended without an answer"));
        }
        let seen = || excerpt(&String::from_utf8_lossy(bytes), 80);
        let malformed =
            |detail: String| PlayerFault::new(EndKind::Malformed, format!("'{}': {detail}", seen()));
        let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
        let (coordinates, extras) = read_answer(self.form, text).map_err(malformed)?;
        self.extras = extras;
        let off_board =
            || PlayerFault::illegal(coordinates, format!("{coordinates}: not squares of a board"));
        coordinates.full_move().ok_or_else(off_board)
    }
}

impl Contestant for Bot<'_> {
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError> {
        let history = history(game);
        // `input` is the request with all moves of the game. A new process gets this request, and
        // the evidence of a fault contains this request.
        let memory = self.entrant.memory_limit.or(self.context.conditions.default_memory_limit);
        let input = whole_request(self.form, &history, budget, memory, &self.extras);
        let (mut group, request) = match self.running.take() {
            Some(group) => (group, &next_request(self.form, history[history.len() - 1])),
            None => (ProcessGroup::start_in(Arc::clone(&self.family), self.entrant, &self.context)?, &input),
        };
        let limit = Limit::Turn(budget.time);
        let Exchange { outcome, output, spent, usage } =
            group.exchange(request.as_bytes(), limit, &self.context, line_kind);
        let asks_to_be_kept = outcome == Ok(true);
        let answer = outcome.and_then(|running| self.read(&output, running));
        if asks_to_be_kept && self.entrant.ends_each_turn {
            group.kill_and_drain(drop);
        }
        let evidence = Some(group.evidence(input, &answer));
        self.running = Some(group).filter(|_| asks_to_be_kept && !self.entrant.ends_each_turn);
        let length = |value: &Value| match value {
            Value::Null => 0,
            value => value.as_str().map_or_else(|| value.to_string().len(), str::len),
        };
        let extras = self.extras.each_ref().map(length);
        let output = String::from_utf8_lossy(&output[..output.len().min(MAX_REPORTED_OUTPUT)]).into_owned();
        Ok(TurnResult { evidence, output, extras, asks_to_be_kept, usage, ..TurnResult::new(answer, spent) })
    }

    fn end_program(&mut self) -> Option<String> {
        let group = self.running.as_mut()?;
        group.kill_and_drain(drop);
        Some(group.standard_error.text())
    }
}

fn line_kind(line: &[u8]) -> LineKind {
    if line == KEEP_RUNNING.as_bytes() { LineKind::Terminator } else { LineKind::Inner }
}

/// The fields `debug`, `data` and `globaldata` of an answer, null if absent. The request to the
/// bot's next process repeats `data` and `globaldata`.
type Extras = [Value; 3];

const EXTRAS: [&str; 3] = ["debug", "data", "globaldata"];

/// The moves of a game as Botzone sends them to the bot whose turn it is. Requests, which are the
/// opponent's moves, alternate with responses, which are the bot's own moves. The game must begin
/// at a start position. The first request to the first player is [`Coordinates::NONE`].
fn history(game: &Game) -> Vec<Coordinates> {
    let none = (game.position().to_move() == Side::First).then_some(Coordinates::NONE);
    none.into_iter().chain(game.moves().into_iter().map(Coordinates::from)).collect()
}

/// The text that is sent to a new process: all requests and responses of the game so far.
fn whole_request(
    form: RequestForm,
    history: &[Coordinates],
    budget: Budget,
    memory_limit: Option<u64>,
    extras: &Extras,
) -> String {
    if form == RequestForm::Text {
        // The text has the number of requests, the requests and responses in turn, `data` and
        // `globaldata`, each on a line. Empty lines are sent too, because a bot may wait for them.
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
        // A time below `LEAST_MILLISECONDS` is sent in seconds, as Quiver's bot expects.
        request["time_limit"] =
            if milliseconds < LEAST_MILLISECONDS { json!(time.as_secs_f64()) } else { json!(milliseconds) };
    }
    if let Some(bytes) = memory_limit {
        request["memory_limit"] = json!(bytes >> 20);
    }
    format!("{request}\n")
}

/// The text that is sent to a process that has kept running: only the opponent's last move.
fn next_request(form: RequestForm, request: Coordinates) -> String {
    match form {
        RequestForm::Json => format!("{}\n", json!(request)),
        RequestForm::Text => format!("{request}\n"),
    }
}

/// Parses a bot's answer. A JSON answer is an object with the field `response`, and optionally the
/// fields in [`EXTRAS`]. An answer in simplified text has one line each for the move, `debug` and
/// `data`, and the rest is `globaldata`.
pub(crate) fn read_answer(form: RequestForm, output: &str) -> Result<(Coordinates, Extras), String> {
    if form == RequestForm::Text {
        let mut lines = output.splitn(4, '\n');
        let first = lines.next().unwrap_or_default();
        let coordinates = first.trim_end().parse().map_err(|error| format!("{error}"))?;
        let extras = EXTRAS.map(|_| match lines.next().unwrap_or_default().trim_end() {
            "" => Value::Null,
            line => Value::from(line),
        });
        return Ok((coordinates, extras));
    }
    let expected = r#"expected {"response":{"x0":..,"y0":..,"x1":..,"y1":..,"x2":..,"y2":..}}"#;
    let whole: Value = serde_json::from_str(output.trim()).map_err(|error| format!("{error}; {expected}"))?;
    let response = whole.get("response").ok_or_else(|| format!("no response; {expected}"))?;
    let coordinates = Some(response)
        .filter(|response| response.is_object())
        .and_then(|response| serde_json::from_value(response.clone()).ok())
        .ok_or_else(|| format!("response is {response}; {expected}"))?;
    Ok((coordinates, EXTRAS.map(|name| whole.get(name).cloned().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn requests_are_those_of_the_documentation() {
        let history = ["-1 -1 -1 -1 -1 -1", "0 5 4 5 3 4", "5 0 3 2 6 5"];
        let moves = history.map(|text| text.parse::<Coordinates>().unwrap());
        let extras = ["debug".into(), "mine".into(), Value::Null];
        let whole = |form, milliseconds, extras| {
            let time = Some(Duration::from_millis(milliseconds));
            whole_request(form, &moves, Budget { time, ..Budget::default() }, Some(256 << 20), extras)
        };
        for (milliseconds, limit) in [(1500, json!(1500)), (30, json!(0.03))] {
            let expected = json!({
                "requests": [moves[0], moves[2]], "responses": [moves[1]],
                "data": "mine", "time_limit": limit, "memory_limit": 256,
            });
            assert_eq!(whole(RequestForm::Json, milliseconds, &extras), format!("{expected}\n"));
        }
        let plain = history.join("\n");
        assert_eq!(whole(RequestForm::Text, 30, &extras), format!("2\n{plain}\nmine\n\n"));
        assert_eq!(whole(RequestForm::Text, 30, &Extras::default()), format!("2\n{plain}\n\n\n"));
        let next = r#"{"x0":0,"x1":4,"x2":3,"y0":5,"y1":5,"y2":4}"#;
        for (form, next) in [(RequestForm::Json, next), (RequestForm::Text, history[1])] {
            assert_eq!(next_request(form, moves[1]), format!("{next}\n"));
        }
    }

    #[test]
    fn answers_are_read_or_refused() {
        let expected = Coordinates([5, 0, 3, 2, 6, 5]);
        let good = r#" {"response":{"y0":0,"x0":5,"x1":3,"y1":2,"x2":6,"y2":5},"debug":"d","data":{"a":1}} "#;
        assert_eq!(
            read_answer(RequestForm::Json, good),
            Ok((expected, [json!("d"), json!({"a": 1}), Value::Null]))
        );
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
            assert!(
                read_answer(RequestForm::Json, bad).unwrap_err().contains("expected {\"response\""),
                "{bad}"
            );
        }
        assert_eq!(read_answer(RequestForm::Text, "5 0 3 2 6 5"), Ok((expected, Extras::default())));
        let extras = ["debug", "mine", "global 1\nglobal 2"].map(Value::from);
        let full = "5 0 3 2 6 5\ndebug\nmine\nglobal 1\nglobal 2\n";
        assert_eq!(read_answer(RequestForm::Text, full), Ok((expected, extras)));
        for bad in ["", "\n5 0 3 2 6 5", "move: 5 0 3 2 6 5", "5 0 3 2 6", "5 0 3 2 6 5 7", "5 0 3 2 6 5.0"] {
            read_answer(RequestForm::Text, bad).unwrap_err();
        }
    }
}
