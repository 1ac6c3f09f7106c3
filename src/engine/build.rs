//! Sets `cfg(unoptimised)` if the crate is built without optimisation, and `cfg(simd128)` if it is
//! built for WebAssembly with vector instructions.
//!
//! Without optimisation the compiler gives every temporary of an inlined function its own place in
//! the caller's stack frame. The evaluator, inlined as a whole, would need two megabytes of stack.
//! So under `cfg(unoptimised)` the evaluator's functions are not marked `inline(always)`.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimised, simd128)");
    if var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
    let has_vectors =
        var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|one| one == "simd128"));
    if has_vectors && var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-cfg=simd128");
    }
}
