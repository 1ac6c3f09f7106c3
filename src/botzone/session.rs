//! A bot's life on its standard input and output.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use super::clock::TurnTimer;
use super::conversation::{Conversation, MatchError};
use super::log::Log;
use super::reader::RequestReader;
use super::request::{Place, Request, RequestError};
use crate::files::{Line, Lines, MAX_LINE};

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
    Match(#[from] MatchError),
}

impl SessionError {
    /// Whether the sender is at fault: the input is no request, or none that has an answer.
    /// Otherwise the streams or the player failed; an answer that reaches no reader loses a match.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            SessionError::Input { .. } | SessionError::Output { .. } => false,
            SessionError::Request(_) => true,
            SessionError::Match(error) => !matches!(error, MatchError::Player(_)),
        }
    }
}

/// Answers the requests of one match as they come, until the input ends or, in [`Mode::Once`],
/// after the first.
///
/// # Errors
/// If the input is no request, not legal, empty or broken off, or the streams fail. What was
/// answered before has been flushed.
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
            return if answered { Ok(()) } else { Err(RequestError::empty(turn).into()) };
        };
        if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
            log.note(&limit);
        }
        let answer = conversation.answer(&request, timer.turn(read))?;
        let failed = |source| SessionError::Output { turn: answer.turn, source };
        let text = answer.text(mode == Mode::KeepRunning);
        log.written(&text);
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(failed)?;
        timer.flushed();
        answered = true;
        if mode == Mode::Once {
            return Ok(());
        }
    }
}

/// Waits for a request; gives it with the time at which its first line was read, or `None` at the
/// end.
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
            Line::TooLong => return Err(bad_line(turn, &format!("a line of more than {MAX_LINE} bytes"))),
            Line::NotText => return Err(bad_line(turn, "a line that is not UTF-8")),
            Line::End => {
                reader.end()?;
                return Ok(None);
            }
        }
    }
}

fn bad_line(turn: usize, got: &str) -> SessionError {
    RequestError::new(Place::Turn(turn), format!("{got}: expected a request")).into()
}

#[cfg(test)]
mod tests {
    use super::super::clock::TurnLimits;
    use super::super::response::KEEP_RUNNING;
    use super::super::starts::{StartChoice, Starts};
    use super::*;
    use crate::game::Size;
    use crate::players::RandomPlayer;

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
