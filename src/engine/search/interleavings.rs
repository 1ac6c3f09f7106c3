//! Tests of the data that workers share, in every order of the workers' steps.
//!
//! Run these tests with `RUSTFLAGS="--cfg loom" cargo test --profile checked --lib --package
//! quiver-engine --no-default-features --features boards-8 interleavings`. The model checker loom
//! tries each order of steps, and each value that a relaxed load may return.

use std::sync::Arc;

use amazons::{HalfMove, Position, QueenMove, Size, Square};
use loom::thread;

use super::arena::{Access, Arena, Edge, GROUP_LEN, Lease, NodeId, PackedEdge, Proof, Statistics};
use super::tree::Tree;

fn edges(to: u8, count: usize) -> Vec<PackedEdge> {
    vec![edge(to, Proof::Win); count]
}

fn edge(to: u8, proof: Proof) -> PackedEdge {
    let square = Square::new(to, 0).unwrap();
    PackedEdge::new(HalfMove::Queen(QueenMove { from: square, to: square }), 0.5, 0.5, proof)
}

fn arena_with_root() -> (Arc<Arena>, NodeId) {
    let arena = Arena::new(0);
    let root = arena.push(&mut Lease::default(), &edges(0, 1)).unwrap();
    assert!(arena.ensure_all_statistics(&mut Lease::default(), root));
    (Arc::new(arena), root)
}

fn visit<'a>(arena: &'a Arena, lease: &mut Lease, node: NodeId, index: usize) -> (Edge<'a>, Statistics<'a>) {
    arena.edge(arena.ensure_statistics(lease, &arena.node(node), index).unwrap())
}

fn expand(arena: &Arena, root: NodeId, to: u8) -> bool {
    let lease = &mut Lease::default();
    let (edge, statistics) = visit(arena, lease, root, 0);
    if !edge.claim_expansion(Access::Shared) {
        return false;
    }
    statistics.publish_child(arena.push(lease, &edges(to, 2)).unwrap());
    true
}

#[test]
fn workers_see_only_complete_nodes() {
    loom::model(|| {
        let (arena, root) = arena_with_root();
        let other = Arc::clone(&arena);
        let thread = thread::spawn(move || expand(&other, root, 7));
        if let Some(child) = arena.node(root).edge(0).child() {
            assert_eq!(arena.node(child).len(), 2);
            for edge in arena.node(child).edges() {
                assert_eq!((edge.to().x(), edge.proof(), edge.visits()), (7, Proof::Win, 0));
            }
        }
        let first = expand(&arena, root, 8);
        let second = thread.join().unwrap();
        assert!(first != second, "expanded by both or by none");
        let child = arena.node(root).edge(0).child().unwrap();
        assert_eq!(arena.node(child).edge(1).to().x(), if first { 8 } else { 7 });
    });
}

#[test]
fn released_claim_can_be_claimed_again() {
    loom::model(|| {
        let (arena, root) = arena_with_root();
        let other = Arc::clone(&arena);
        let thread = thread::spawn(move || {
            let edge = other.node(root).edge(0);
            if edge.claim_expansion(Access::Shared) {
                edge.release_expansion_claim();
            }
        });
        let expanded = expand(&arena, root, 8);
        thread.join().unwrap();
        assert!(expanded || expand(&arena, root, 8));
        assert!(arena.node(root).edge(0).child().is_some());
    });
}

#[test]
fn priors_are_replaced_once_beside_proofs() {
    loom::model(|| {
        let (arena, _) = arena_with_root();
        let root = edge(0, Proof::Unknown);
        let root = arena.push(&mut Lease::default(), &[root]).unwrap();
        let others = [Arc::clone(&arena), Arc::clone(&arena)];
        let threads = others.map(|arena| {
            thread::spawn(move || {
                let edge = arena.node(root).edge(0);
                let claimed = edge.claim_policy_priors(Access::Shared);
                if claimed {
                    edge.set_prior(0.25, Access::Shared);
                }
                claimed
            })
        });
        let edge = || arena.node(root).edge(0);
        edge().set_proof(Proof::Loss);
        assert_eq!(edge().proof(), Proof::Loss);
        let claimed = threads.map(|thread| thread.join().unwrap());
        assert!(claimed[0] != claimed[1], "claimed by both or by none");
        assert!(edge().has_policy_priors() && (edge().prior() - 0.25).abs() < 1e-4);
        assert_eq!(edge().proof(), Proof::Loss);
    });
}

#[test]
fn proven_root_stays_proven() {
    loom::model(|| {
        let position = Position::start(Size::square(6).unwrap()).unwrap();
        let mut tree = Tree::new(0, position);
        let edge = edge(0, Proof::Unknown);
        tree.root = tree.arena.push(&mut Lease::default(), &[edge, edge]);
        let tree = Arc::new(tree);
        let prove = |tree: &Tree, index: usize| {
            tree.arena.node(tree.root.unwrap()).edge(index).set_proof(Proof::Loss);
            tree.update_root_proof();
            tree.root_proof()
        };
        let other = Arc::clone(&tree);
        let thread = thread::spawn(move || prove(&other, 0));
        let seen = [prove(&tree, 1), thread.join().unwrap()];
        if seen.contains(&Proof::Loss) {
            assert_eq!(tree.root_proof(), Proof::Loss);
        }
        tree.update_root_proof();
        assert_eq!(tree.root_proof(), Proof::Loss);
    });
}

#[test]
fn leases_never_overlap() {
    loom::model(|| {
        let arena = Arc::new(Arena::new(0));
        let take = |arena: &Arena, to| {
            let lease = &mut Lease::of(5);
            [1, 1].map(|count| arena.push(lease, &edges(to, count)).unwrap())
        };
        let other = Arc::clone(&arena);
        let thread = thread::spawn(move || take(&other, 7));
        let own = take(&arena, 8);
        let theirs = thread.join().unwrap();
        for (nodes, to) in [(own, 8), (theirs, 7)] {
            assert!(nodes.iter().all(|&node| arena.node(node).edges().all(|edge| edge.to().x() == to)));
        }
    });
}

#[test]
fn playouts_are_counted_once_after_virtual_loss() {
    loom::model(|| {
        let (arena, root) = arena_with_root();
        let other = Arc::clone(&arena);
        let playout = move |arena: &Arena, value| {
            let (_, statistics) = visit(arena, &mut Lease::default(), root, 0);
            statistics.add_virtual_loss(Access::Shared, 3);
            assert!(statistics.visits() >= 3);
            statistics.add_result(Access::Shared, 3, value);
        };
        let thread = thread::spawn(move || playout(&other, 1.0));
        playout(&arena, 0.5);
        thread.join().unwrap();
        let edge = arena.node(root).edge(0);
        assert_eq!((edge.visits(), edge.mean()), (2, Some(0.75)));
    });
}

#[test]
fn statistics_are_created_once_and_empty() {
    loom::model(|| {
        let arena = Arena::new(0);
        // The arena will use the words of `old` again, but new statistics must begin with zeros.
        let old = arena.push(&mut Lease::default(), &edges(3, 6)).unwrap();
        let mut arena = arena;
        arena.clear();
        let root = arena.push(&mut Lease::default(), &edges(0, 1)).unwrap();
        assert_eq!(old, root);
        let arena = Arc::new(arena);
        let other = Arc::clone(&arena);
        let playout = move |arena: &Arena| {
            let lease = &mut Lease::of(4);
            let (edge, statistics) = visit(arena, lease, root, 0);
            assert!(statistics.visits() <= 1 && edge.child().is_none());
            statistics.add_virtual_loss(Access::Shared, 1);
            // If the other worker published its statistics first, this worker reuses the words of
            // its own statistics for its next node.
            arena.push(lease, &edges(7, 1)).unwrap()
        };
        let thread = thread::spawn(move || playout(&other));
        if let Some(statistics) = arena.node(root).edge(0).statistics {
            assert!(statistics.visits() <= 1 && statistics.child().is_none());
        }
        let nodes = [playout(&arena), thread.join().unwrap()];
        assert_eq!(arena.node(root).edge(0).visits(), 2);
        assert!(nodes.iter().all(|&node| arena.node(node).edge(0).to().x() == 7));
        assert!(nodes[0] != nodes[1]);
    });
}

#[test]
fn two_groups_get_statistics_at_once() {
    loom::model(|| {
        let arena = Arena::new(0);
        let root = arena.push(&mut Lease::default(), &edges(0, GROUP_LEN + 9)).unwrap();
        // One word holds the handles of the statistics of the second and the third group.
        let arena = Arc::new(arena);
        let other = Arc::clone(&arena);
        let thread = thread::spawn(move || {
            visit(&other, &mut Lease::default(), root, GROUP_LEN).1.add_virtual_loss(Access::Shared, 1)
        });
        visit(&arena, &mut Lease::default(), root, 2 * GROUP_LEN).1.add_virtual_loss(Access::Shared, 1);
        thread.join().unwrap();
        let visits: Vec<u32> = arena.node(root).edges().map(Edge::visits).collect();
        assert_eq!((visits[GROUP_LEN], visits[2 * GROUP_LEN], visits.iter().sum::<u32>()), (1, 1, 2));
    });
}
