//! A body from the site as local AI reads it, and the requests in it taken into one match: refused or taken, never a
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quiver::botzone::local_ai::play::{Play, parse_request};
use quiver::botzone::local_ai::poll::Poll;
use quiver::botzone::{StartChoice, Starts};
use quiver::game::Size;

fuzz_target!(|input: &[u8]| {
    let Some(starts) =
        Size::square(8).ok().and_then(|size| Starts::new(size, false, StartChoice::Formula).ok())
    else {
        return;
    };
    let poll = match Poll::parse(input) {
        Ok(poll) => poll,
        Err(error) => return assert!(error.to_string().len() < 1_000),
    };
    let mut play = Play::unknown();
    for (_, line) in &poll.requests {
        if let Ok(request) = parse_request(line, play.turn()) {
            let _ = play.receive(request, &starts);
        }
    }
});
