//! A bot's life on its standard input and output.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use super::clock::TurnTimer;
use super::conversation::{Conversation, MatchError};
use super::log::Log;
use super::reader::RequestReader;
use super::request::{Request, RequestError};
use super::response::Response;
use crate::files::{Line, Lines};

/// What to do after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Ask to be kept, and wait for the next request.
    KeepRunning,
    /// End: the next turn gets a new process and the full history.
    Once,
}

/// Why a session ended badly.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum SessionError {
    #[error("turn {turn}: the request cannot be read")]
    Input { turn: usize, source: io::Error },
    #[error("turn {turn}: the answer cannot be written")]
    Output { turn: usize, source: io::Error },
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Match(MatchError),
    #[error(transparent)]
    Player(MatchError),
}

/// Whose fault it is that a session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The sender's: the input is no request, or none that has an answer.
    Input,
    /// This side's: the streams or the player failed. An answer that reaches no reader loses a
    /// match, so a closed output is a failure too.
    Here,
}

impl SessionError {
    /// Sorts what ended a session.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            SessionError::Request(_) | SessionError::Match(_) => Fault::Input,
            SessionError::Input { .. } | SessionError::Output { .. } | SessionError::Player(_) => Fault::Here,
        }
    }
}

impl From<MatchError> for SessionError {
    fn from(error: MatchError) -> SessionError {
        match error {
            MatchError::History(_) | MatchError::NoMove { .. } => SessionError::Match(error),
            MatchError::Player(_) => SessionError::Player(error),
        }
    }
}

/// Answers the requests of one match as they come, until the input ends or, in [`Mode::Once`], after the first.
///
/// # Errors
/// If the input is no request, not legal, empty or broken off, or the streams fail. What was answered before
/// has been flushed.
pub fn serve<W: Write>(
    input: impl BufRead,
    mut output: impl Write,
    mut conversation: Conversation,
    mode: Mode,
    log: &mut Log<W>,
) -> Result<(), SessionError> {
    let mut lines = Lines::new(input);
    let mut reader = RequestReader::default();
    let mut timer = TurnTimer::default();
    let mut answered = false;
    loop {
        reader.expect_turn(conversation.next_turn());
        let Some((request, read)) = next_request(&mut lines, &mut reader, log)? else {
            let turn = reader.turn();
            return if answered { Ok(()) } else { Err(RequestError::Empty { turn }.into()) };
        };
        if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
            log.note(&limit);
        }
        let answer = conversation.answer(&request, timer.turn(read))?;
        let failed = |source| SessionError::Output { turn: answer.turn, source };
        let text =
            Response::from(&answer).text(mode == Mode::KeepRunning).map_err(|error| failed(error.into()))?;
        log.written(&text);
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(failed)?;
        timer.flushed();
        answered = true;
        if mode == Mode::Once {
            return Ok(());
        }
    }
}

/// Waits for a request; gives it with the time at which its first line was read, or `None` at the end.
fn next_request<W: Write>(
    lines: &mut Lines<impl BufRead>,
    reader: &mut RequestReader,
    log: &mut Log<W>,
) -> Result<Option<(Request, Instant)>, SessionError> {
    let mut read = Instant::now();
    loop {
        let turn = reader.turn();
        let line = lines.next_line().map_err(|source| SessionError::Input { turn, source })?;
        if reader.is_between_requests() {
            read = Instant::now();
        }
        match line {
            Line::Text("") => {}
            Line::Text(text) => {
                log.read(text);
                if let Some(request) = reader.feed(text)? {
                    return Ok(Some((request, read)));
                }
            }
            Line::TooLong => return Err(RequestError::TooLong { turn }.into()),
            Line::NotText => return Err(RequestError::NotText { turn }.into()),
            Line::End => {
                reader.end()?;
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::TurnLimits;
    use super::super::response::KEEP_RUNNING;
    use super::super::starts::{StartChoice, Starts};
    use super::*;
    use crate::game::{Coordinates, Position, Size, Start};
    use crate::players::{Player, RandomPlayer};
    use crate::search::Limits;

    fn session(input: &str, mode: Mode) -> (String, Result<(), String>) {
        let mut output = Vec::new();
        let starts = Starts::new(Size::square(10).unwrap(), false, StartChoice::Formula).unwrap();
        let limits = TurnLimits { first: None, time: None, playouts: Some(1) };
        let conversation =
            Conversation::new(Box::new(RandomPlayer::new(3, &starts.usual().likely)), starts, limits);
        let ended = serve(input.as_bytes(), &mut output, conversation, mode, &mut Log::none());
        (String::from_utf8(output).unwrap(), ended.map_err(|error| error.to_string()))
    }

    const FIRST: &str = r#"{"requests":[{"x0":-1,"x1":-1,"x2":-1,"y0":-1,"y1":-1,"y2":-1}],"responses":[]}"#;

    /// A match in one piece of text: since the bot is deterministic, each turn replays all before it.
    fn whole_match(opening: &str, board: usize) -> (String, Position) {
        let mut input = format!("{opening}\n");
        let mut position = Start::Formula.position(Size::square(board).unwrap()).unwrap();
        let mut opponent = RandomPlayer::new(17, &position);
        loop {
            let (output, ended) = session(&input, Mode::KeepRunning);
            assert_eq!(ended, Ok(()));
            let lines: Vec<_> = output.lines().collect();
            let answers: Vec<_> = lines.chunks(3).collect();
            let last = answers.last().unwrap();
            assert_eq!(last[2], KEEP_RUNNING);
            position = position.play(last[0].parse().unwrap()).unwrap();
            opponent.set_position(&position);
            let Some(reply) = opponent.choose(&Limits::playouts(1)) else { return (output, position) };
            position = position.play(reply.full).unwrap();
            if !position.can_move(position.to_move()) {
                return (output, position);
            }
            input += &format!("\n{}\n", Coordinates::from(reply.full));
        }
    }

    #[test]
    fn a_match_is_text_in_and_text_out() {
        let (output, end) = whole_match("1\n-1 -1 -1 -1 -1 -1", 10);
        assert!(output.lines().count() > 3 * 10);
        assert!(!end.can_move(end.to_move()));
        // A bare first request begins the same match.
        assert_eq!(whole_match("-1 -1 -1 -1 -1 -1", 10).0, output);
    }

    #[test]
    fn once_means_one_answer_without_the_marker() {
        let (output, ended) = session(&format!("{FIRST}\n{FIRST}\n"), Mode::Once);
        assert_eq!(ended, Ok(()));
        assert!(output.starts_with("{\"response\":{\"x0\":") && output.ends_with("}\n"), "{output}");
        assert_eq!(output.lines().count(), 1);
    }

    #[test]
    fn logs_a_time_limit_that_it_reads_as_seconds() {
        let logged = |limit: &str| {
            let request = format!("{},\"time_limit\":{limit}}}\n", FIRST.trim_end_matches('}'));
            let starts = Starts::new(Size::square(10).unwrap(), false, StartChoice::Formula).unwrap();
            let limits = TurnLimits { first: None, time: None, playouts: Some(1) };
            let player = Box::new(RandomPlayer::new(3, &starts.usual().likely));
            let conversation = Conversation::new(player, starts, limits);
            let mut log = Vec::new();
            serve(request.as_bytes(), Vec::new(), conversation, Mode::Once, &mut Log::new(&mut log)).unwrap();
            String::from_utf8(log).unwrap()
        };
        assert!(logged("\"1\"").contains("# time_limit 1 s: the number was read as seconds"));
        assert!(!logged("1000").contains('#'));
    }

    #[test]
    fn each_answer_has_the_form_of_its_request() {
        let text = "\r\n1\r\n-1 -1 -1 -1 -1 -1\r\n\r\n";
        let (output, ended) = session(&format!("{FIRST}\n{text}{FIRST}"), Mode::KeepRunning);
        assert_eq!(ended, Ok(()));
        let starts: Vec<_> =
            output.lines().filter(|line| *line != KEEP_RUNNING).map(|line| &line[..1]).collect();
        assert_eq!(starts[0], "{");
        assert_eq!(starts[2], "n", "{output}");
        assert_eq!(starts[3], "{");
    }

    #[test]
    fn what_was_answered_stays_when_the_input_goes_wrong() {
        for (rest, expected) in [
            ("hello", "turn 2: 'hello' is no request"),
            ("{\"x0\":1}", "turn 2, request: y0 is missing"),
            ("9 9 9 8 9 9", "turn 2, request: illegal move 9 9 9 8 9 9: j10 holds nothing"),
            ("2\n-1 -1 -1 -1 -1 -1", "turn 1, response: the input ended: expected 2 more lines"),
        ] {
            let (output, ended) = session(&format!("{FIRST}\n{rest}\n"), Mode::KeepRunning);
            assert!(output.ends_with(&format!("{KEEP_RUNNING}\n")));
            let error = ended.unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let (output, ended) = session("\n\n", Mode::KeepRunning);
        assert_eq!(
            (output.as_str(), ended),
            ("", Err("turn 1: the input is empty: expected a request".into()))
        );
    }
}
