//! A whole bot session on whatever the fuzzer sends: it may refuse, it may not panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quiver::botzone::{Conversation, Log, Mode, StartChoice, Starts, TurnLimits, serve};
use quiver::game::Size;
use quiver::players::RandomPlayer;

fuzz_target!(|input: &[u8]| {
    let Some(starts) =
        Size::square(10).ok().and_then(|size| Starts::new(size, false, StartChoice::Auto).ok())
    else {
        return;
    };
    let limits = TurnLimits { first: None, time: None, playouts: Some(1) };
    let conversation = Conversation::new(Box::new(RandomPlayer::new(1, &starts.usual().likely)), starts, limits);
    let mut output = Vec::new();
    let ended = serve(input, &mut output, conversation, Mode::KeepRunning, &mut Log::none());
    assert!(!output.is_empty() || ended.is_err());
    if let Err(error) = ended {
        let message = error.to_string();
        assert!(message.len() < 500 && !message.contains(char::is_control), "{message}");
    }
});
