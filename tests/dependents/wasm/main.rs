//! Prints the same lines as `search.mjs`, but runs the engine compiled for this machine.

use std::time::Instant;

fn main() {
    for (side, playouts) in [(8, 4_000), (10, 3_000)] {
        let begun = Instant::now();
        let value = f64::from_bits(dependent_wasm::search(side, playouts));
        let speed = f64::from(playouts) / begun.elapsed().as_secs_f64();
        println!("{side}x{side} {value}");
        eprintln!("{side}x{side}: {speed:.0} playouts/s");
    }
    for side in [6, 8, 10] {
        println!("{side}x{side} {}", dependent_wasm::evaluate(side, 20));
    }
}
