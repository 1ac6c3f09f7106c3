//! Runs every fuzz target on random mutations of its corpus, with a fixed seed. This test needs no
//! nightly compiler. `QUIVER_MUTATIONS` sets the number of mutations per target, and `--nocapture`
//! shows how many mutations each target refuses.

#[path = "fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Byte strings that break parsers more often than random bytes do.
const WORDS: [&[u8]; 14] = [
    b"",
    b"\n",
    b"\0",
    b"\xff",
    b"\x1b[31m",
    b"\"",
    b"{",
    b"]",
    b"-1",
    b"0",
    b"256",
    b"1e999",
    b"18446744073709551616",
    b"null",
];

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn below(rng: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    (rng.next_u64() % bound.max(1) as u64) as usize
}

fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], rng: &mut Xoshiro256PlusPlus) {
    let from = below(rng, input.len() + 1);
    let to = (from + below(rng, 20)).min(input.len());
    match below(rng, 6) {
        0 if from < input.len() => input[from] ^= 1 << below(rng, 8),
        1 => drop(input.drain(from..to)),
        2 => input.truncate(from),
        3 => {
            let copy = input[from..to].to_vec();
            input.splice(from..from, copy);
        }
        4 => {
            let other = &corpus[below(rng, corpus.len())];
            input.splice(from.., other[below(rng, other.len() + 1)..].iter().copied());
        }
        _ => drop(input.splice(from..to, WORDS[below(rng, WORDS.len())].iter().copied())),
    }
}

#[test]
fn no_target_panics_on_mutated_input() {
    let mutations = std::env::var("QUIVER_MUTATIONS").map_or(400, |number| number.parse().unwrap());
    for (name, target) in targets::ALL {
        let corpus = corpus(name);
        assert!(corpus.iter().any(|input| target(input)), "{name}: nothing in its corpus is accepted");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
        let mut refused = 0;
        for _ in 0..mutations {
            let mut input = corpus[below(&mut rng, corpus.len())].clone();
            for _ in 0..=below(&mut rng, 3) {
                mutate(&mut input, &corpus, &mut rng);
            }
            refused += usize::from(!target(&input));
        }
        println!("{name}: {mutations} mutated inputs, {refused} refused");
        // Each target except `gtp` and `uci`, which accept every input, must refuse some mutations.
        assert!(refused > 0 || ["gtp", "uci"].contains(&name), "{name}: nothing was refused");
    }
}
