//! Tells the crate whether it is built without optimisation (`cfg(unoptimised)`), and whether for
//! WebAssembly with vectors (`cfg(simd128)`).
//!
//! Without optimisation the compiler gives every temporary of an inlined function its own place in
//! the caller's stack frame. An evaluator inlined as a whole then needs two megabytes of stack.

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
