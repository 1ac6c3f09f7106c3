//! Match logs of whatever bytes, read and replayed by the rules: they may be refused, nothing may panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quiver::botzone::match_log;

fuzz_target!(|input: &[u8]| {
    let Ok(found) = match_log::read(input) else { return };
    for found in found {
        if let Ok(log) = found.log {
            let replay = match_log::check(&log);
            assert!(replay.positions.len() >= replay.plies.len());
        }
    }
});
