//! A bot's life on its standard input and output.

use std::io::{self, BufRead, ErrorKind, Write};
use std::time::Instant;

use super::clock::TurnTimer;
use super::conversation::{Conversation, MatchError};
use super::lines::{Line, Lines};
use super::log::Log;
use super::reader::RequestReader;
use super::request::{Request, RequestError};
use super::response::Response;

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
pub enum SessionError {
    /// The input cannot be read.
    #[error("turn {turn}: the request cannot be read")]
    Input {
        /// The turn.
        turn: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The answer cannot be written.
    #[error("turn {turn}: the answer cannot be written")]
    Output {
        /// The turn.
        turn: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The input holds no request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The request is not legal, or the game is over.
    #[error(transparent)]
    Match(MatchError),
    /// The player's answer is not legal: a fault of this program.
    #[error(transparent)]
    Player(MatchError),
}

/// Whose fault it is that a session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nobody's: the reader of the answers has gone.
    Nobody,
    /// The sender's: the input is no request, or none that has an answer.
    Input,
    /// This side's: the streams or the player failed.
    Here,
}

impl SessionError {
    /// Sorts what ended a session.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            SessionError::Output { source, .. } if source.kind() == ErrorKind::BrokenPipe => Fault::Nobody,
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
