use amazons::{HalfMove, QueenMove, Square};

use super::*;

fn edges(count: u8) -> Vec<PackedEdge> {
    (0..count).map(|n| edge(n, 0.5, 0.1)).collect()
}

fn edge(n: u8, static_value: f64, prior: f64) -> PackedEdge {
    let square = Square::new(n % 10, n / 10 % 10).unwrap();
    let queen = HalfMove::Queen(QueenMove { from: square, to: square });
    PackedEdge::new(queen, static_value, prior, Proof::Unknown)
}

fn visited<'a>(arena: &'a Arena, lease: &mut Lease, node: NodeId, index: usize) -> Statistics<'a> {
    arena.edge(arena.ensure_statistics(lease, &arena.node(node), index).unwrap()).1
}

#[test]
fn keep_copies_the_subtree_and_drops_the_rest() {
    let mut arena = Arena::new(1 << 20);
    let lease = &mut Lease::default();
    let [root, dropped, kept, grandchild] =
        [3, 50, 20, 10].map(|len| arena.push(lease, &edges(len)).unwrap());
    visited(&arena, lease, root, 0).publish_child(dropped);
    visited(&arena, lease, root, 2).publish_child(kept);
    visited(&arena, lease, kept, 19).publish_child(grandchild);
    visited(&arena, lease, kept, 3).add_result(Access::Exclusive, 0, 0.25);
    visited(&arena, lease, grandchild, 1).add_result(Access::Exclusive, 0, 0.75);
    while arena.push(lease, &edges(100)).is_some() {}

    let root = arena.keep_subtree(kept, 0, &|| false).unwrap();
    assert!((arena.words.len() + arena.spare.len()) * size_of::<AtomicU64>() <= 1 << 20);
    // `kept` and `grandchild` lack statistics for their second group of edges, which got no visits.
    let words = 1 + Node::words_for(20) + 2 * (8 + 4) + Node::words_for(10) + 2 * 8;
    assert_eq!(arena.used_bytes(), words * size_of::<AtomicU64>());
    for (index, edge) in arena.node(root).edges().enumerate() {
        assert_eq!(edge.child().is_some(), index == 19);
        assert_eq!(edge.statistics.is_some(), !(8..16).contains(&index));
        assert_eq!(edge.mean(), (index == 3).then_some(0.25));
        assert_eq!(usize::from(edge.to().x() + 10 * edge.to().y()), index);
    }
    let grandchild = arena.node(arena.node(root).edge(19).child().unwrap());
    assert_eq!(
        (grandchild.len(), grandchild.edge(1).mean(), grandchild.edge(0).mean()),
        (10, Some(0.75), None)
    );
    // The old lease is invalid, because its words may hold the kept subtree.
    let next = arena.push(lease, &edges(1)).unwrap();
    assert_eq!(next.handle() as usize, words);
}

#[test]
fn pruning_keeps_the_most_visited_nodes() {
    let mut arena = Arena::new(0);
    let lease = &mut Lease::default();
    let root = arena.push(lease, &edges(40)).unwrap();
    for index in 0..40 {
        arena.node(root).edge(index).claim_expansion(Access::Exclusive);
        arena.node(root).edge(index).claim_policy_priors(Access::Exclusive);
        let statistics = visited(&arena, lease, root, index);
        // The edges have 2, 9, 16, ... visits, modulo 41.
        for _ in 0..(2 + 7 * index) % 41 {
            statistics.add_result(Access::Exclusive, 0, 0.25);
        }
        statistics.publish_child(arena.push(lease, &edges(60)).unwrap());
    }
    let root = arena.keep_most_visited(root, &|| false).unwrap();
    assert!(arena.used_bytes() <= Arena::MIN_WORDS / 2 * size_of::<AtomicU64>());
    let (kept, dropped): (Vec<_>, Vec<_>) = arena.node(root).edges().partition(|edge| edge.child().is_some());
    assert_eq!(kept.len() + dropped.len(), 40);
    assert!(kept.len() > 15, "{} nodes kept", kept.len());
    let fewest = kept.iter().map(|edge| edge.visits()).min().unwrap();
    for (index, edge) in arena.node(root).edges().enumerate() {
        let visits = (2 + 7 * index as u32) % 41;
        assert_eq!((edge.visits(), edge.mean()), (visits, (visits > 0).then_some(0.25)));
        let is_kept = edge.child().is_some();
        assert!(is_kept || visits < fewest, "{visits} and {fewest} visits");
        assert!(edge.had_policy_priors());
        // Only an edge that lost its child can be expanded again.
        assert_ne!(edge.claim_expansion(Access::Exclusive), is_kept);
        assert_ne!(edge.claim_policy_priors(Access::Exclusive), is_kept);
    }
}

#[test]
fn smallest_arena_holds_any_root() {
    let arena = Arena::new(0);
    let lease = &mut Lease::default();
    let root = arena.push(lease, &edges(Arena::MAX_EDGES as u8)).unwrap();
    assert!(arena.ensure_all_statistics(lease, root));
    let node = arena.push(lease, &edges(100)).unwrap();
    while arena.push(lease, &edges(100)).is_some() {}
    assert!(arena.is_full() && arena.is_nearly_full() && arena.is_half_full());
    while arena.push(lease, &edges(1)).is_some() {}
    assert!(arena.ensure_statistics(lease, &arena.node(node), 0).is_none());
    assert!(!arena.ensure_all_statistics(lease, node));
    assert!(arena.node(node).edges().all(|edge| edge.statistics.is_none()));
    assert!(arena.used_bytes() > (Arena::MIN_WORDS - 3) * size_of::<AtomicU64>());
}

#[test]
fn leases_never_overlap() {
    let arena = Arena::new(0);
    let mut leases = [900, 600].map(Lease::of);
    let mut taken = vec![false; Arena::MIN_WORDS];
    let mut full = 0;
    for turn in 0.. {
        let Some(node) = arena.push(&mut leases[turn % 2], &edges(70)) else {
            full += 1;
            if full == 2 {
                break;
            }
            continue;
        };
        for word in (node.handle() as usize..).take(Node::words_for(70)) {
            assert!(!std::mem::replace(&mut taken[word], true), "{word} given twice");
        }
    }
    // Words stay unused only at the end of each lease and of the region, so most words are taken.
    assert!(taken.iter().filter(|&&taken| taken).count() > 1800);
}

#[test]
fn arena_shrinks_if_the_system_refuses() {
    let arena = Arena::new(usize::MAX);
    assert!(arena.words.len() >= Arena::MIN_WORDS && arena.spare.len() >= arena.words.len());
}

#[test]
fn edges_round_priors_and_sum_values() {
    let arena = Arena::new(0);
    let new = [edge(0, 0.3, 0.25), edge(1, 0.5, 0.0)];
    let lease = &mut Lease::default();
    let id = arena.push(lease, &new).unwrap();
    let node = arena.node(id);
    assert!(node.edge(1).prior() > 0.0);
    let edge = node.edge(0);
    assert!((edge.prior() - 0.25).abs() < 1e-5 && (edge.static_value() - 0.3).abs() < 1e-5);
    let [one, other] = [0, 1].map(|index| visited(&arena, lease, id, index));
    for value in [1.0, 0.0, 0.5] {
        one.add_result(Access::Exclusive, 0, value);
        other.add_virtual_loss(Access::Shared, 3);
        other.add_result(Access::Shared, 3, value);
    }
    for edge in node.edges() {
        assert_eq!((edge.mean(), edge.visits()), (Some(0.5), 3));
    }
}

#[test]
fn fields_of_an_edge_change_separately() {
    let arena = Arena::new(0);
    let id = arena.push(&mut Lease::default(), &edges(12)).unwrap();
    let read = || arena.node(id).edge(11);
    assert!(read().claim_expansion(Access::Shared) && !read().claim_expansion(Access::Shared));
    assert!(read().claim_policy_priors(Access::Shared) && !read().claim_policy_priors(Access::Shared));
    read().set_prior(0.75, Access::Shared);
    read().set_proof(Proof::Loss);
    assert_eq!(read().set_static_value(0.2, Access::Shared), read().static_value());
    read().release_expansion_claim();
    assert!(read().claim_expansion(Access::Shared) && read().has_policy_priors());
    assert_eq!((read().proof(), read().to().x(), read().from().y()), (Proof::Loss, 1, 1));
    assert!((read().prior() - 0.75).abs() < 1e-5 && (read().static_value() - 0.2).abs() < 1e-5);
}
