//! Tells the crate whether it is built without optimisation (`cfg(unoptimised)`).
//!
//! Without optimisation the compiler gives every temporary of an inlined function its own place in
//! the caller's stack frame. An evaluator inlined as a whole then needs two megabytes of stack.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    if std::env::var_os("OPT_LEVEL").is_some_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
}
