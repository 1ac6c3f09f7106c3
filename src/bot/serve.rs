//! Plays one match of a bot on its input and output, and measures the time of each turn.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use amazons::{Position, Size};
use quiver_engine::platform::Instant;

use super::bot_error::{BotError, turn_error};
use super::conversation::Conversation;
use super::log::Log;
use super::request::KEEP_RUNNING;
use super::request_reader::RequestReader;
use super::settings::{BoardChoice, BotSettings};
use crate::InputError;
use crate::messages::warn;
use quiver_engine::players::{Book, PlayerKind};
use quiver_engine::search::{Cpu, Stopwatch};

/// Plays one match of a bot on standard input and output, and writes its log file.
///
/// # Errors
/// If [`serve`] fails.
pub fn run(bot: &BotSettings) -> Result<(), BotError> {
    let mut log = Log::open(bot.log.as_deref());
    log.entry('#', format_args!("quiver {}, {}", env!("CARGO_PKG_VERSION"), bot.player));
    let ended = serve(bot, io::stdin().lock(), io::stdout().lock(), process_start(), &mut log);
    log.entry('#', ended.as_ref().map_or_else(|error| error as &dyn Display, |()| &"the bot ended"));
    ended
}

/// Answers the requests of one match until the input ends. A bot that does not keep running answers
/// only the first request. If the first request was pending before the bot was ready, the time of
/// the first turn counts from `started`, the start of the process. Writes to `log`, and not to the
/// log file that the settings name.
///
/// # Errors
/// If the board has no start position, a request is malformed, illegal or incomplete, the input is
/// empty, or a stream fails. Earlier answers have been flushed.
pub fn serve(
    bot: &BotSettings,
    input: impl BufRead,
    mut output: impl Write,
    mut started: Option<Instant>,
    log: &mut Log,
) -> Result<(), BotError> {
    let (mut conversation, mut reader) = (begin_conversation(bot)?, RequestReader::new(input));
    let mut turn = 1;
    let (ready, set_up) = (Instant::now(), Cpu::Process.measured());
    if cfg!(unix) && set_up.is_none() {
        warn("this system refuses the clock of CPU time: turns are limited by wall time alone");
    }
    // The CPU time that the process had used when it flushed the last answer.
    let mut used = set_up.map(|_| Duration::ZERO);
    while let Some((request, read)) = reader.next(turn, log)? {
        if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
            log.entry('#', limit);
        }
        // If the process waits long for its first request, the process was started before the
        // match, and the CPU time of its start-up does not count.
        if turn == 1 && read > ready + EARLY_START_WAIT {
            used = set_up;
        }
        // If the first request came before the bot was ready, the turn counts from `started`.
        let begun = started.take().filter(|_| read < ready + PENDING_REQUEST_WAIT).unwrap_or(read);
        let answer = conversation.answer(&request, turn_stopwatch(begun, used))?;
        if turn == 1 && answer.ply == 1 && bot.board_choice == BoardChoice::Assumed {
            warn(format_args!(
                "this bot moves first and no board is given: it assumes {board}x{board}, as Botzone's \
                 description of the game says; Botzone's live site plays 8x8, which needs --board 8",
                board = bot.board
            ));
        }
        let marker = if bot.keep_running { [KEEP_RUNNING, "\n"].concat() } else { String::new() };
        let text = answer.text(request.form) + &marker;
        text.lines().for_each(|line| log.entry('>', line));
        let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        turn = answer.ply.div_ceil(2);
        written.map_err(|cause| BotError::Output { turn, cause })?;
        if !bot.keep_running {
            return Ok(());
        }
        used = Cpu::Process.measured();
        turn += 1;
    }
    if turn == 1 { Err(turn_error(turn, "the input is empty: expected a request")) } else { Ok(()) }
}

fn begin_conversation(bot: &BotSettings) -> Result<Conversation, InputError> {
    let start = bot.new_history()?;
    let book = opening_book(bot.player, bot.book.as_deref(), bot.board)?;
    let mut player = bot.player.build(&bot.engine, start.position());
    // A bot that runs for one turn skips the warm-up, because its request is already waiting.
    if bot.keep_running {
        player.warm_up();
    }
    Ok(Conversation::new(player, book, start, bot.limits))
}

/// The clock of a turn, which shows the larger of the wall time since `read` and the CPU time of
/// the process since its last answer. `used` is the CPU time at that answer, or `None` if the
/// system has no clock of CPU time.
fn turn_stopwatch(read: Instant, used: Option<Duration>) -> Stopwatch {
    Stopwatch { wall: Some(read), cpu: used.map(|used| (Cpu::Process, used)) }
}

/// The opening book of a player: the book in `text`, or the shipped book if `text` is `None`. Only
/// the player `quiver` has a book.
///
/// # Errors
/// If the text is not a book from the start position of this board.
pub fn opening_book(player: PlayerKind, text: Option<&str>, board: usize) -> Result<Book, InputError> {
    match text {
        Some(text) if player == PlayerKind::Quiver && !text.is_empty() => {
            let start = Position::start(Size::square(board)?)?;
            Book::parse(text, &start).map_err(|error| InputError(error.to_string()))
        }
        None if player == PlayerKind::Quiver => Ok(Book::shipped()),
        _ => Ok(Book::default()),
    }
}

/// If a ready bot waits no longer than this for its first request, the request was already pending.
const PENDING_REQUEST_WAIT: Duration = Duration::from_millis(5);

/// If a ready bot waits longer than this for its first request, the bot started before the match.
const EARLY_START_WAIT: Duration = Duration::from_millis(100);

/// The longest time before the call of [`serve`] that counts as time of the first turn. This limit
/// exceeds the time that a packaged bot needs to unpack itself before the call.
const MAX_START_AGE: Duration = Duration::from_millis(500);

/// The time when the system started this process, if known, but at most [`MAX_START_AGE`] ago.
fn process_start() -> Option<Instant> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The start time is field 20 after the program's name. The name is in parentheses, and may
    // contain parentheses itself.
    let (_, fields) = stat.rsplit_once(')')?;
    let started: f64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let now: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let age = Duration::try_from_secs_f64(now - started / TICKS_PER_SECOND).ok()?;
    Instant::now().checked_sub(age.min(MAX_START_AGE))
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
    fn first_turn_counts_from_start_of_process() {
        let started = process_start().unwrap();
        assert!(started <= Instant::now() && started.elapsed() < MAX_START_AGE + Duration::from_secs(60));
        let limit = Some(Duration::from_secs(60));
        let limits = TurnLimits { first: limit, time: limit, playouts: Some(300) };
        let settings = BotSettings { limits, keep_running: false, book: Some(String::new()), ..settings() };
        // The test says that the process started 120 s ago, and sets a time limit of 60 s. A search
        // whose time counts from that start ends before 300 playouts. On a busy machine, the bot
        // may read the request so late that the time counts from the request. The test therefore
        // tries up to 100 times.
        let request = br#"{"requests":[{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}],"responses":[]}"#;
        let counts_from_start = |_| {
            let (started, mut output) = (Instant::now().checked_sub(Duration::from_secs(120)), Vec::new());
            serve(&settings, &request[..], &mut output, started, &mut Log::default()).unwrap();
            !String::from_utf8(output).unwrap().contains("300 playouts")
        };
        assert!((0..100).any(counts_from_start));
    }
}
