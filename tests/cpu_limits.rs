//! The bot's clock, measured from outside by the CPU time that a judge accounts for.
//!
//! These hold on a busy machine too: a bot that gets less of a core answers by the wall clock, with
//! less CPU time.

use std::process::Command;
use std::time::Duration;

use crate::common::judge::{Bot, Form, play};
use crate::common::start;
use quiver::game::Side;

/// The bot under a limit of CPU seconds, past which the system ends it.
fn limited(seconds: u32, arguments: &[&str]) -> Bot {
    let mut command = Command::new("bash");
    let script = format!("ulimit -t {seconds} && exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_quiver"), "bot"]).args(arguments);
    Bot::start(command)
}

#[test]
fn no_turn_of_a_match_uses_more_cpu_time_than_its_limit() {
    const TIME: Duration = Duration::from_millis(120);
    const FIRST: Duration = Duration::from_millis(200);
    // At most 28 turns: 3.5 s by the bot's own clock.
    let mut bot = limited(4, &["--board", "8", "--time", "0.12", "--first-time", "0.2"]);
    let mut used = Duration::ZERO;
    let mut longest = Duration::ZERO;
    let plies = play(&mut bot, start(8), Side::First, Form::Json, |bot| {
        let (before, now) = (used, bot.cpu());
        used = now;
        let limit = if before.is_zero() { FIRST } else { TIME };
        assert!(now - before <= limit, "{:?} of {limit:?}", now - before);
        longest = longest.max(now - before);
    });
    // It has thought, not merely answered; on however busy a machine.
    assert!(plies.len() > 9 && longest > TIME / 20, "{plies:?}, at most {longest:?}");
    assert_eq!(bot.end().code(), Some(0));
}

#[test]
fn a_limit_that_is_too_low_ends_the_bot_as_the_system_says() {
    use std::os::unix::process::ExitStatusExt;
    let mut bot = limited(1, &["--board", "8", "--playouts", "1000000000", "--no-book"]);
    bot.send("1\n-1 -1 -1 -1 -1 -1\n");
    let status = bot.wait();
    assert!(status.signal().is_some(), "{status}");
}
