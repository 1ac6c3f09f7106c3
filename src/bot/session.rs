//! A bot's life on its standard input and output.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::InputError;
use amazons::{Position, Size};
use quiver_engine::platform::Instant;

use super::conversation::{Conversation, KEEP_RUNNING};
use super::log::Log;
use super::request::{Request, missing_lines, turns};
use super::settings::{BoardChoice, BotSettings};
use crate::files::{MAX_LINE, read_line};
use crate::messages::warn;
use crate::players::{Book, PlayerKind};
use crate::search::{Cpu, Stopwatch};

/// Bytes that may follow a text history as its data and global data: 100 KB each.
const STORED: usize = 2 * 100 * 1024;

/// The error that keeps a bot from starting, or ended it. Turns are counted as far as the process
/// knows the match.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum BotError {
    #[error("turn {turn}: the request cannot be read: {cause}")]
    Input { turn: usize, cause: io::Error },
    #[error("turn {turn}: the answer cannot be written: {cause}")]
    Output { turn: usize, cause: io::Error },
    /// The user or the judge is at fault: the settings are of no bot, or the input is no request
    /// that has an answer.
    #[error(transparent)]
    Refused(#[from] InputError),
}

/// Plays one match of a bot on standard input and output, and logs it.
///
/// # Errors
/// As [`serve`].
pub fn run(bot: &BotSettings) -> Result<(), BotError> {
    let mut log = Log::open(bot.log.as_deref());
    log.note(&format_args!("quiver {}, {}", env!("CARGO_PKG_VERSION"), bot.player));
    let ended = serve(bot, io::stdin().lock(), io::stdout().lock(), process_start(), &mut log);
    log.note(ended.as_ref().map_or_else(|error| error as &dyn Display, |()| &"the bot ended"));
    ended
}

/// Answers the requests of one match as they come, until the input ends or, where the bot does not
/// keep running, after the first. The first turn counts from `started`, the start of the process, if
/// its request was there already. Writes to `log`; the `log` setting counts only in [`run`].
///
/// # Errors
/// If the board has no start position, the input is no request, not legal, empty or broken off, or
/// the streams fail. What was answered before has been flushed.
pub fn serve(
    bot: &BotSettings,
    input: impl BufRead,
    mut output: impl Write,
    mut started: Option<Instant>,
    log: &mut Log,
) -> Result<(), BotError> {
    let (mut conversation, mut reader) = (begin(bot)?, RequestReader::new(input));
    let mut turn = 1;
    let (ready, set_up) = (Instant::now(), Cpu::Process.now());
    // CPU time of the process when the last answer was flushed: what it burns from then on
    // counts for the turn that follows.
    let mut used = Duration::ZERO;
    while let Some((request, read)) = reader.next(turn, log)? {
        if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
            log.note(&limit);
        }
        // A request that was there already began the judge's clock with this process.
        if turn == 1 && read > ready + AHEAD {
            used = set_up;
        }
        let begun = started.take().filter(|_| read < ready + WAITING).unwrap_or(read);
        let answer = conversation.answer(&request, turn_stopwatch(begun, used))?;
        if turn == 1 && answer.opens && bot.board_choice == BoardChoice::Assumed {
            warn(format_args!(
                "this bot moves first and no board is given: it assumes {board}x{board}, as Botzone's \
                 page says; the live site plays 8x8: --board 8",
                board = bot.board
            ));
        }
        let marker = if bot.keep_running { [KEEP_RUNNING, "\n"].concat() } else { String::new() };
        let text = answer.text() + &marker;
        log.written(&text);
        let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        written.map_err(|cause| BotError::Output { turn: answer.turn, cause })?;
        if !bot.keep_running {
            return Ok(());
        }
        used = Cpu::Process.now();
        turn = answer.turn + 1;
    }
    if turn == 1 { Err(refused(turn, "the input is empty: expected a request")) } else { Ok(()) }
}

/// A match of this bot before its first request.
///
/// # Errors
/// If the board has no start position, or the book does not begin there.
fn begin(bot: &BotSettings) -> Result<Conversation, InputError> {
    let start = bot.history()?;
    let book = opening_book(bot.player, bot.book.as_deref(), bot.board)?;
    let mut player = bot.player.build(&bot.engine, start.position());
    // A process for one turn has its only request already.
    if bot.keep_running {
        player.warm_up();
    }
    Ok(Conversation::new(player, book, start, bot.limits))
}

/// The clock of a turn at Botzone: the larger of wall time from when the request was read, and CPU time
/// of the process from when `used` of it was gone, at the flush of the last answer.
fn turn_stopwatch(read: Instant, used: Duration) -> Stopwatch {
    Stopwatch { wall: Some(read), cpu: Some((Cpu::Process, used)) }
}

/// The opening book of a player: parsed from `text`, or the shipped ones. Only `quiver` has any.
///
/// # Errors
/// If the text is no book from the start of this board.
pub fn opening_book(player: PlayerKind, text: Option<&str>, board: usize) -> Result<Book, InputError> {
    match text {
        _ if player != PlayerKind::Quiver => Ok(Book::default()),
        Some("") => Ok(Book::default()),
        Some(text) => {
            let start = Position::start(Size::square(board)?)?;
            Book::parse(text, &start).map_err(|error| InputError(error.to_string()))
        }
        None => Ok(Book::shipped()),
    }
}

fn refused(turn: usize, fault: impl Display) -> BotError {
    InputError(format!("turn {turn}: {fault}")).into()
}

/// The longest wait for a first request that was sent before the process was ready for it.
const WAITING: Duration = Duration::from_millis(5);

/// The wait for a first request after which the process was surely started ahead of its match: the
/// CPU time of the set-up is then no part of the first turn.
const AHEAD: Duration = Duration::from_millis(100);

/// The most time before a first request that is charged to its turn: more than unpacking takes.
const MOST_START: Duration = Duration::from_millis(500);

/// The start of this process as the system says it, at most [`MOST_START`] ago; `None` where it
/// does not.
fn process_start() -> Option<Instant> {
    /// Ticks a second in `/proc`.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name comes before, and may hold blanks and brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let started: f64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let now: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let age = Duration::try_from_secs_f64(now - started / TICKS).ok()?;
    Instant::now().checked_sub(age.min(MOST_START))
}

/// Puts requests together from lines as they come, and never needs one line more than a request
/// has.
///
/// This bot stores no data, so it ignores the data and global data after a text history. They may
/// be empty or missing, so the reader does not wait for them: it skips these lines when it reads
/// the next request.
struct RequestReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes of data that may still come.
    stored: usize,
}

impl<R: BufRead> RequestReader<R> {
    fn new(input: R) -> RequestReader<R> {
        RequestReader { input, buffer: Vec::new(), stored: 0 }
    }

    /// Waits for a request; gives it with the time at which its first line was read, or `None` at
    /// the end.
    fn next(&mut self, turn: usize, log: &mut Log) -> Result<Option<(Request, Instant)>, BotError> {
        while let Some(mut text) = self.line(turn, log)? {
            let (read, is_history) = (Instant::now(), turns(&text).is_some());
            while missing_lines(&text) > 0
                && let Some(line) = self.line(turn, log)?
            {
                text = text + "\n" + &line;
            }
            match text.parse::<Request>() {
                Ok(request) => {
                    self.stored = if is_history { STORED } else { 0 };
                    return Ok(Some((request, read)));
                }
                // The beginning of a history is no stored data: the input ended in it.
                Err(_) if text.len() <= self.stored && !is_history && !is_numbers(&text) => {
                    self.stored -= text.len();
                }
                Err(fault) => return Err(refused(turn, fault)),
            }
        }
        Ok(None)
    }

    /// Waits for a line with text, without the white space around it; `None` at the end.
    fn line(&mut self, turn: usize, log: &mut Log) -> Result<Option<String>, BotError> {
        let no_request = |got| refused(turn, format_args!("{got}: expected a request"));
        loop {
            let is_whole = read_line(&mut self.input, MAX_LINE, &mut self.buffer)
                .map_err(|cause| BotError::Input { turn, cause })?;
            if !is_whole {
                return Err(no_request(format!("a line of more than {MAX_LINE} bytes")));
            }
            let line = std::str::from_utf8(&self.buffer)
                .map_err(|_| no_request("a line that is not UTF-8".to_owned()))?;
            if line.is_empty() {
                return Ok(None);
            }
            let text = line.trim();
            if !text.is_empty() {
                log.read(text);
                return Ok(Some(text.to_owned()));
            }
        }
    }
}

/// True if a line is several integers and nothing else: a malformed move rather than stored data.
fn is_numbers(line: &str) -> bool {
    line.contains([' ', '\t']) && line.split_ascii_whitespace().all(|word| word.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {

    use super::super::request::RequestBody;
    use super::super::settings::TurnLimits;
    use super::super::settings::tests::settings;
    use super::*;
    use crate::Coordinates;

    #[test]
    fn turn_counts_cpu_time_since_answer() {
        let process = Cpu::Process.now();
        assert!(turn_stopwatch(Instant::now(), Duration::ZERO).elapsed() >= process);
        let answered = Cpu::Process.now();
        while Cpu::Process.now() < answered + Duration::from_millis(20) {}
        assert!(turn_stopwatch(Instant::now(), answered).elapsed() >= Duration::from_millis(20));
    }

    fn read(text: &str) -> Result<Vec<RequestBody>, String> {
        let mut reader = RequestReader::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some((request, _)) =
            reader.next(1, &mut Log::default()).map_err(|error| error.to_string())?
        {
            found.push(request.content);
        }
        Ok(found)
    }

    fn numbers(text: &str) -> Coordinates {
        text.parse().unwrap()
    }

    #[test]
    fn charges_the_start_of_the_process_to_the_first_turn() {
        let started = process_start().unwrap();
        assert!(started <= Instant::now() && started.elapsed() < MOST_START + Duration::from_secs(60));
        let limit = Some(Duration::from_secs(60));
        let limits = TurnLimits { first: limit, time: limit, playouts: None };
        let settings = BotSettings { limits, keep_running: false, book: Some(String::new()), ..settings() };
        // All of the limit has gone before the first request is read.
        let (now, mut output) = (Instant::now(), Vec::new());
        let started = now.checked_sub(Duration::from_secs(120));
        serve(&settings, &b"1\n-1 -1 -1 -1 -1 -1\n"[..], &mut output, started, &mut Log::default()).unwrap();
        assert!(now.elapsed() < Duration::from_secs(30) && !output.is_empty());
    }

    #[test]
    fn a_text_history_is_complete_with_its_last_ply() {
        let entries = ["-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"];
        let history = RequestBody::History(entries.map(numbers).to_vec());
        let lines = entries.join("\n");
        assert_eq!(read(&format!("2\n{lines}")), Ok(vec![history.clone()]));
        assert_eq!(read(&format!("\n\n2\r\n\n{lines}\n\n")), Ok(vec![history]));
        let text = "1\n-1 -1 -1 -1 -1 -1\nhello\n";
        let mut input = text.as_bytes();
        let mut reader = RequestReader::new(&mut input);
        assert!(reader.next(1, &mut Log::default()).unwrap().is_some());
        assert_eq!(input, b"hello\n", "a line too many was read");
    }

    #[test]
    fn stored_data_after_a_text_history_is_passed_over() {
        let history = RequestBody::History(vec![Coordinates::NONE]);
        let turn = RequestBody::Turn(numbers("0 5 4 5 3 4"));
        let text = "1\n-1 -1 -1 -1 -1 -1\nsome data\n{\"global\": 1}\n99\n\n0 5 4 5 3 4\n";
        assert_eq!(read(text), Ok(vec![history, turn]));
        // After the next request it is nothing of the kind any more.
        assert!(read(&format!("{text}\nsome data\n")).unwrap_err().contains("'some data' is no request"));
        // A move that is one number short is no data.
        assert!(read("1\n-1 -1 -1 -1 -1 -1\n0 5 4 5 3").unwrap_err().contains("'0 5 4 5 3'"));
        let flood = "garbage\n".repeat(STORED);
        assert!(read(&format!("1\n-1 -1 -1 -1 -1 -1\n{flood}")).unwrap_err().contains("'garbage'"));
    }
}
