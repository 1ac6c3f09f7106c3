use amazons::Size;

use super::super::engine::Engine;
use super::*;
use crate::search::Limits;

#[test]
fn a_leaf_that_another_worker_expands_counts_as_a_collision() {
    let start = Position::start(Size::square(8).unwrap()).unwrap();
    let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
    engine.ponder(&Limits::playouts(0)).unwrap();
    let root = engine.tree.arena.node(engine.tree.root.unwrap());
    assert!(root.edges().all(|edge| edge.claim(true)));
    for _ in 0..2 {
        let report = engine.ponder(&Limits::playouts(3)).unwrap();
        assert_eq!((report.playouts, report.collisions, report.depth), (3, 3, 1));
    }
}
