//! How many nodes of a tree are positions that it holds elsewhere: a measurement, behind the decision to share none.

use std::collections::HashMap;

use super::arena::Arena;
use super::edge::{Block, Edge};
use super::{Engine, EngineOptions, Limits};
use crate::game::{Fen, Position, QueenMove, Size, Start};

/// Every expanded position below the root with the playouts that passed it, by how often it is met.
fn collect(arena: &Arena, node: Block, position: &Position, met: &mut HashMap<Position, Vec<u32>>) {
    let child = |edge: &Edge| Some((edge.child()?, edge.visits()));
    for queen in arena.node(node) {
        let Some((arrows, _)) = child(queen) else { continue };
        let half = position.move_queen_unchecked(QueenMove { from: queen.from(), to: queen.to() });
        for arrow in arena.node(arrows) {
            let Some((below, visits)) = child(arrow) else { continue };
            let next = half.shoot_unchecked(arrow.to());
            met.entry(next).or_default().push(visits);
            collect(arena, below, &next, met);
        }
    }
}

/// `cargo test --profile checked --lib transpositions -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn transpositions_are_rare() {
    let late = "3*3*/1**3*1/Qq2Q1*q/*5*1/1*1Q2**/3q2*1/*1Q*1q*1/5*2 w".parse::<Fen>().unwrap().0;
    let starts = [8, 10].map(|size| Start::Formula.position(Size::square(size).unwrap()).unwrap());
    for position in [starts[0], starts[1], late] {
        for playouts in [10_000, 100_000, 1_000_000] {
            let options = EngineOptions { memory: 1 << 30, ..EngineOptions::default() };
            let mut engine = Engine::new(&options, &position);
            engine.search(&Limits::playouts(playouts)).unwrap();
            let mut met = HashMap::new();
            let tree = &engine.tree;
            collect(&tree.arena, tree.root.unwrap(), &tree.position, &mut met);
            let nodes: usize = met.values().map(Vec::len).sum();
            let again = nodes - met.len();
            let visits: u64 = met.values().flatten().map(|&visits| u64::from(visits)).sum();
            // The most visited of equal nodes would be the one that is kept.
            let kept: u64 =
                met.values().filter_map(|all| all.iter().max()).map(|&most| u64::from(most)).sum();
            println!(
                "{} {playouts} playouts: {nodes} positions expanded, {:.2} % of them again, with {:.2} % of the visits",
                Fen(position),
                100.0 * again as f64 / nodes as f64,
                100.0 * (visits - kept) as f64 / visits as f64,
            );
        }
    }
}
