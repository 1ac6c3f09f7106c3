//! The bot's clock, measured from outside by the CPU time that a judge accounts for.
//!
//! The test holds on a busy machine too: a bot that gets less of a core answers by the wall clock, with
//! less CPU time.

use std::time::Duration;

use crate::common::judge::{Bot, Form, play};
use crate::common::program::quiver;
use crate::common::start;
use quiver::game::Side;

#[test]
fn no_turn_of_a_match_uses_more_cpu_time_than_its_limit() {
    const TIME: Duration = Duration::from_millis(120);
    const FIRST: Duration = Duration::from_millis(200);
    let mut bot = Bot::start(quiver(&["bot", "--board", "8", "--time", "0.12", "--first-time", "0.2"]));
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
