//! The target of `targets.rs` that the environment variable `QUIVER_TARGET` names.
#![no_main]

#[path = "../targets.rs"]
mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<targets::Target> = LazyLock::new(|| {
    let name = std::env::var("QUIVER_TARGET").unwrap_or_default();
    let known = targets::ALL.into_iter().find(|&(target, _)| target == name);
    known.expect("QUIVER_TARGET: expected the name of a folder of tests/fuzz/corpus").1
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    (*TARGET)(input);
});
