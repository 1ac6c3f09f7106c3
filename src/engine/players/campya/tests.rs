//! Games and searches of the player.

use super::*;
use crate::endgame::{Effort, Solver};
use crate::game::{Fen, Side, Size};
use crate::players::{LEVELS, PlayerKind};

fn player(seed: u64, memory: usize, position: &Position) -> CampyaPlayer {
    CampyaPlayer::new(&EngineOptions { seed, memory, ..EngineOptions::default() }, position)
}

/// A whole game of two players, and its winner.
fn play(
    kinds: [PlayerKind; 2],
    options: &EngineOptions,
    mut position: Position,
    playouts: u64,
) -> (Vec<FullMove>, Option<Side>) {
    let mut players = kinds.map(|kind| kind.build(options, &position));
    let mut moves = Vec::new();
    while let Some(choice) = players[position.to_move().index()].choose(&Limits::playouts(playouts)) {
        position = position.play(choice.full).expect("a legal move");
        players.iter_mut().for_each(|player| player.advance(choice.full));
        moves.push(choice.full);
    }
    (moves, position.winner())
}

fn start(side: usize) -> Position {
    Position::start(Size::square(side).unwrap()).unwrap()
}

#[test]
fn games_are_legal_to_the_end_and_repeat_by_seed() {
    // A glance, a search with errors, and this player.
    for (kinds, playouts) in
        [([LEVELS[0], LEVELS[8]].map(PlayerKind::Level), 1_000), ([PlayerKind::Campya; 2], 200)]
    {
        let game = |seed, side| {
            let options = EngineOptions { seed, memory: 1 << 20, ..EngineOptions::default() };
            let (moves, winner) = play(kinds, &options, start(side), playouts);
            assert!(winner.is_some());
            moves
        };
        for side in [6, 8, 10] {
            assert_eq!(game(3, side), game(3, side));
        }
        assert_ne!(game(3, 6), game(4, 6));
    }
}

#[test]
fn beats_the_random_player() {
    for (seed, side) in [(1, Side::First), (2, Side::Second), (3, Side::First), (4, Side::Second)] {
        let start = start(8);
        let mut kinds = [PlayerKind::Campya, PlayerKind::Random];
        if side == Side::Second {
            kinds.reverse();
        }
        let options = EngineOptions { seed, memory: 4 << 20, ..EngineOptions::default() };
        assert_eq!(play(kinds, &options, start, 100).1, Some(side), "seed {seed}");
    }
}

#[test]
fn stops_at_its_limits() {
    let mut player = player(1, 1 << 20, &start(10));
    let mut report = |limits: &Limits| player.choose(limits).unwrap().report.unwrap();
    let counted = report(&Limits::playouts(5_000));
    assert_eq!((counted.stop, counted.playouts), (StopReason::Playouts, 5_000));
    // 5,000 playouts need more than a megabyte.
    assert!(counted.memory <= 1 << 20 && counted.memory > 1 << 19, "{}", counted.memory);
    assert_eq!(report(&Limits::playouts(1)).playouts, 1);
    let timed = report(&Limits::per_move(Duration::from_millis(40)));
    assert!(timed.stop == StopReason::Time && timed.bound == Some(Duration::from_millis(36)));
    assert!(timed.time >= Duration::from_millis(36) && timed.playouts > 1);
    assert_eq!(report(&Limits::per_move(Duration::ZERO)).playouts, 1);
    player.stop_handle().unwrap().stop();
    let stopped = player.choose(&Limits::playouts(1_000)).unwrap().report.unwrap();
    assert_eq!(stopped.stop, StopReason::Stopped);
}

#[test]
fn finds_a_winning_move_among_losing_ones() {
    // Three squares against two: the first player wins if its first move leaves it two more.
    let position = "Q3*2q/******** w".parse::<Fen>().unwrap().0;
    let winner = |position| Solver::new(1 << 16).prove(&position, &Effort::nodes(1_000)).winner.unwrap();
    let wins_after = |full: FullMove| winner(position.play(full).unwrap()) == Side::First;
    let won = position.full_moves().filter(|&full| wins_after(full)).count();
    assert!(won > 0 && won < position.full_moves().count(), "{won}");
    for seed in 1..9 {
        let choice = player(seed, 1 << 20, &position).choose(&Limits::playouts(2_000)).unwrap();
        assert!(wins_after(choice.full), "{}", choice.full);
    }
}

#[test]
fn virtual_visits_count_like_real_ones_until_those_outweigh_them() {
    let own = Results { count: 10, sum: 4.0 };
    // (4 + 10 * 0.8) / 20 + 0.45 sqrt(5 / 20) = 0.6 + 0.225
    assert!((upper_confidence_bound(own, Some(0.8), 5.0) - 0.825).abs() < 1e-12);
    // 4 / 10 + 0.45 sqrt(2.5 / 10) = 0.4 + 0.225
    assert!((upper_confidence_bound(own, None, 2.5) - 0.625).abs() < 1e-12);
    assert_eq!(upper_confidence_bound(Results::default(), None, 5.0), f64::INFINITY);
    // 0.8 + 0.45 sqrt(2.5 / 10)
    assert!((upper_confidence_bound(Results::default(), Some(0.8), 2.5) - 1.025).abs() < 1e-12);
}
