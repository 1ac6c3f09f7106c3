//! Whatever comes in: the bot answers or says why not, and never panics.

use proptest::prelude::*;
use quiver::botzone::{Conversation, Log, Mode, StartChoice, Starts, TurnLimits, serve};
use quiver::game::Size;
use quiver::players::RandomPlayer;

/// A session on these bytes; its output, and the message it ended with.
fn session(input: &[u8]) -> (String, Option<String>) {
    let starts = Starts::new(Size::square(10).unwrap(), false, StartChoice::Auto).unwrap();
    let limits = TurnLimits { first: None, time: None, playouts: Some(1) };
    let conversation =
        Conversation::new(Box::new(RandomPlayer::new(1, &starts.usual().likely)), starts, limits);
    let mut output = Vec::new();
    let ended = serve(input, &mut output, conversation, Mode::KeepRunning, &mut Log::none());
    (String::from_utf8(output).unwrap(), ended.err().map(|error| error.to_string()))
}

fn check(input: &[u8]) -> Result<(), TestCaseError> {
    let (output, error) = session(input);
    prop_assert!(!output.is_empty() || error.is_some());
    if let Some(message) = error {
        prop_assert!(message.starts_with("turn ") && message.len() < 500, "{message}");
        prop_assert!(!message.contains(char::is_control), "{message}");
    }
    Ok(())
}

const SAMPLES: [&[u8]; 6] = [
    include_bytes!("../data/botzone/first-turn.json"),
    include_bytes!("../data/botzone/second-player-10x10.json"),
    include_bytes!("../data/botzone/history-8x8.json"),
    include_bytes!("../data/botzone/history-8x8.txt"),
    include_bytes!("../data/botzone/left-start-10x10.txt"),
    include_bytes!("../data/botzone/stored-data.txt"),
];

/// A sample and what to do to it: at a place, take some bytes out and put others in.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        Just(b"-1".to_vec()),
        Just(b"9".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"1e3".to_vec()),
        Just(b"{".to_vec()),
        Just(b"]".to_vec()),
        Just(b"99999999999999999999".to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    let change = (any::<prop::sample::Index>(), 0..4usize, token);
    (prop::sample::select(&SAMPLES[..]), prop::collection::vec(change, 0..6)).prop_map(|(sample, changes)| {
        let mut bytes = sample.to_vec();
        for (place, taken, token) in changes {
            let start = place.index(bytes.len() + 1);
            let end = (start + taken).min(bytes.len());
            bytes.splice(start..end, token);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(input in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&input)?;
    }

    #[test]
    fn almost_requests(input in "([0-9{}\\[\\]:\", \n.-]|x[012]|y[012]|\"requests\"|\"responses\"){0,60}") {
        check(input.as_bytes())?;
    }

    #[test]
    fn spoilt_requests(input in mutated()) {
        check(&input)?;
    }
}

#[test]
fn the_samples_themselves_are_fine() {
    for sample in SAMPLES {
        assert_eq!(session(sample).1, None);
    }
}
