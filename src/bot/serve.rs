//! The bot on its input and output: answers the requests of one match with their clocks.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::InputError;
use amazons::{Position, Size};
use quiver_engine::platform::Instant;

use super::bot_error::{BotError, refused};
use super::conversation::{Conversation, KEEP_RUNNING};
use super::log::Log;
use super::request_reader::RequestReader;
use super::settings::{BoardChoice, BotSettings};
use crate::messages::warn;
use crate::players::{Book, PlayerKind};
use crate::search::{Cpu, Stopwatch};

/// Plays one match of a bot on standard input and output, and logs it.
///
/// # Errors
/// If [`serve`] fails.
pub fn run(bot: &BotSettings) -> Result<(), BotError> {
    let mut log = Log::open(bot.log.as_deref());
    log.note(&format_args!("quiver {}, {}", env!("CARGO_PKG_VERSION"), bot.player));
    let ended = serve(bot, io::stdin().lock(), io::stdout().lock(), process_start(), &mut log);
    log.note(ended.as_ref().map_or_else(|error| error as &dyn Display, |()| &"the bot ended"));
    ended
}

/// Answers the requests of one match until the input ends or, if the bot does not keep running,
/// after the first. The first turn counts from `started`, the start of the process, if its request
/// was already waiting. Writes to `log`; only [`run`] uses the setting `log`.
///
/// # Errors
/// If the board has no start position, a request is unreadable, illegal or incomplete, the input is
/// empty, or the streams fail. Earlier answers have been flushed.
pub fn serve(
    bot: &BotSettings,
    input: impl BufRead,
    mut output: impl Write,
    mut started: Option<Instant>,
    log: &mut Log,
) -> Result<(), BotError> {
    let (mut conversation, mut reader) = (begin(bot)?, RequestReader::new(input));
    let mut turn = 1;
    let (ready, set_up) = (Instant::now(), Cpu::Process.measured());
    if cfg!(unix) && set_up.is_none() {
        warn("this system refuses the clock of CPU time: turns are limited by wall time alone");
    }
    // The CPU time of the process at the flush of the last answer; more counts for the next turn.
    let mut used = set_up.map(|_| Duration::ZERO);
    while let Some((request, read)) = reader.next(turn, log)? {
        if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
            log.note(&limit);
        }
        // If a request was already waiting, the judge's clock began with this process.
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
        used = Cpu::Process.measured();
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
    // A process for one turn already has its only request.
    if bot.keep_running {
        player.warm_up();
    }
    Ok(Conversation::new(player, book, start, bot.limits))
}

/// The clock of a turn at Botzone: the larger of wall time since the request was read, and CPU time
/// of the process since `used`, its CPU time at the flush of the last answer, if the system tells it.
fn turn_stopwatch(read: Instant, used: Option<Duration>) -> Stopwatch {
    Stopwatch { wall: Some(read), cpu: used.map(|used| (Cpu::Process, used)) }
}

/// The opening book of a player: parsed from `text`, or the shipped book. Only `quiver` has one.
///
/// # Errors
/// If the text is not a book from the start of this board.
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

/// The longest wait for a first request that was sent before the process was ready.
const WAITING: Duration = Duration::from_millis(5);

/// The wait for a first request that shows that the process was started before its match. The CPU
/// time of the set-up then does not count for the first turn.
const AHEAD: Duration = Duration::from_millis(100);

/// The longest time before a first request that counts for its turn: more than unpacking takes.
const MOST_START: Duration = Duration::from_millis(500);

/// The start of this process by the system, at most [`MOST_START`] ago; `None` if unknown.
fn process_start() -> Option<Instant> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name comes first and may contain spaces and brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let started: f64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let now: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let age = Duration::try_from_secs_f64(now - started / TICKS).ok()?;
    Instant::now().checked_sub(age.min(MOST_START))
}

#[cfg(test)]
mod tests {
    use super::super::settings::TurnLimits;
    use super::super::settings::tests::settings;
    use super::*;

    #[test]
    fn turn_counts_cpu_time_since_answer() {
        let process = Cpu::Process.now();
        assert!(turn_stopwatch(Instant::now(), Some(Duration::ZERO)).elapsed() >= process);
        let answered = Cpu::Process.now();
        while Cpu::Process.now() < answered + Duration::from_millis(20) {}
        assert!(turn_stopwatch(Instant::now(), Some(answered)).elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn charges_the_start_of_the_process_to_the_first_turn() {
        let started = process_start().unwrap();
        assert!(started <= Instant::now() && started.elapsed() < MOST_START + Duration::from_secs(60));
        let limit = Some(Duration::from_secs(60));
        let limits = TurnLimits { first: limit, time: limit, playouts: None };
        let settings = BotSettings { limits, keep_running: false, book: Some(String::new()), ..settings() };
        // The whole limit has passed before the first request is read.
        let (now, mut output) = (Instant::now(), Vec::new());
        let started = now.checked_sub(Duration::from_secs(120));
        serve(&settings, &b"1\n-1 -1 -1 -1 -1 -1\n"[..], &mut output, started, &mut Log::default()).unwrap();
        assert!(now.elapsed() < Duration::from_secs(30) && !output.is_empty());
    }
}
