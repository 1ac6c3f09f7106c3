//! Tests games in SGF, GGF and lists of moves.

use std::fmt::Display;

use crate::common::program::assert_contains;
use crate::common::strategies::boards;
use proptest::collection::vec;
use proptest::prelude::*;
use quiver::Start;
use quiver::amazons::{
    Annotation, Cause, FoundGame, Game, Line, Outcome, PlayedMove, Point, Side, ggf, move_list, sgf,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The beginning of the example game in the definition of GGF. It was played on the server GGS.
const GGS: &str = "(;GM[Amazons]PC[GGS/ams]DT[945277754] PB[amsbot5]PW[Raphael] RB[1897.01]RW[1874.15] \
    TI[30:00/00:05/02:00] TY[10]RE[-3.00] BO[10 ---*--*--- ---------- ---------- *--------* ---------- ---------- \
    O--------O ---------- ---------- ---O--O--- *] B[D1-D7-G7/11.50/5.04]W[J7-G4-B4//21.42] \
    B[G1-E3-E10/8.30/5.01]W[G10-I8-I5//14.01] B[A4-A6-G6/9.00/5.01]W[A7-D4-A7//8.03] \
    B[A6-C8-H8/10.60/5.01]W[G4-I4-J5//7.42] B[D7-F9-D9/12.20/5.01]W[D10-F8-E8//10.12] ;)";

fn read(text: &str) -> Game {
    sgf::read(text).unwrap().remove(0).game.unwrap()
}

/// Random text for a name or event. It neither begins nor ends with white space, which SGF drops.
fn texts() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9é棋\\]\\\\\\[():;/+-]{1,12}( [a-z\\]\\\\]{1,6}){0,2}"
}

fn comments() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[ -~é棋\n]{1,40}"]
}

fn games() -> impl Strategy<Value = Game> {
    let board = (2..=10_usize, 2..=10_usize).prop_flat_map(|(width, height)| boards(width, height));
    let remarks = vec((comments(), prop::option::of(0.0..=1.0), prop::option::of(0.0..1e4)), 0..30);
    let names = [prop::option::of(texts()), prop::option::of(texts()), prop::option::of(texts())];
    let end = prop::option::of((any::<bool>(), 0..5_usize, prop::option::of(0.25..60.0)));
    (board, any::<u64>(), remarks, names, comments(), end).prop_map(
        |(plain, seed, remarks, names, comment, end)| {
            let start = plain.position();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut game = Game::new(start);
            for (comment, value, seconds) in remarks {
                let Some(played) = game.position().random_move(&mut rng) else { break };
                let facts = Annotation { comment, value, seconds };
                game.extend([PlayedMove { played, facts }]).expect("a legal move");
            }
            let [first, second, event] = names;
            (game.players, game.event, game.comment) = ([first, second], event, comment);
            game.end = end.map(|(first, kind, margin)| {
                let winner = if first { Side::First } else { Side::Second };
                let kinds = [Cause::Resignation, Cause::Time, Cause::Forfeit];
                match kinds.get(kind) {
                    Some(&kind) => Outcome::new(winner, kind),
                    None => Outcome { margin, ..Outcome::at(game.position(), winner) },
                }
            });
            // The reader sets the end of a game by the rules, so the random game gets this end too.
            game.end = game.outcome();
            game
        },
    )
}

fn trees() -> impl Strategy<Value = Game> {
    let branches = vec((any::<prop::sample::Index>(), vec(comments(), 1..5)), 0..12);
    (games(), branches, any::<u64>()).prop_map(|(mut game, branches, seed)| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut points: Vec<Point> = (0..=game.plies().len()).map(|ply| Point { line: 0, ply }).collect();
        for (branch, comments) in branches {
            let mut at = *branch.get(&points);
            for comment in comments {
                let Some(played) = game.position_at(at).random_move(&mut rng) else { break };
                let facts = Annotation { comment, ..Annotation::default() };
                at = game.play_at(at, PlayedMove { played, facts }).expect("a legal move");
                points.push(at);
            }
        }
        game
    })
}

/// The moves of every line of a game from the start position on. The variations are sorted, because
/// their order does not matter.
fn lines(game: &Game) -> Vec<String> {
    let ends = (0..).zip(game.lines()).map(|(line, moves)| Point { line, ply: moves.plies.len() });
    let mut lines: Vec<String> = ends.map(|end| format!("{:?}", game.path(end))).collect();
    lines[1..].sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..Default::default() })]

    #[test]
    fn reads_back_games_in_sgf(games in vec(games(), 1..3)) {
        let text = sgf::write(&games);
        let read: Vec<Game> = sgf::read(&text).unwrap().into_iter().map(|found| found.game.unwrap()).collect();
        prop_assert_eq!(read, games, "{}", text);
    }

    #[test]
    fn reads_back_variations_in_sgf(game in trees()) {
        let text = sgf::write(std::slice::from_ref(&game));
        let again = read(&text);
        prop_assert_eq!(lines(&again), lines(&game), "{}", text);
        // Variations that begin at the same point keep their order.
        prop_assert_eq!(sgf::write(&[again]), text);
    }

    #[test]
    fn positions_follow_from_paths(game in trees()) {
        for (line, moves) in game.lines().iter().enumerate() {
            for ply in 0..=moves.plies.len() {
                let at = Point { line, ply };
                let played = game.path(at).iter().try_fold(*game.start(), |before, ply| before.play(ply.played));
                prop_assert_eq!(Ok(game.position_at(at)), played, "{:?}", at);
            }
        }
        let main = (0..=game.plies().len()).map(|ply| game.position_at(Point { line: 0, ply }));
        prop_assert_eq!(game.positions(), main.collect::<Vec<_>>());
    }

    #[test]
    fn undo_removes_variations_of_move(game in trees()) {
        let mut shorter = game.clone();
        let undone = shorter.undo();
        prop_assert_eq!(undone.map(|ply| ply.played), game.moves().last().copied());
        let last = Point { line: 0, ply: shorter.len() };
        prop_assert!(shorter.lines().iter().skip(1).all(|line| line.from != last));
        // With the move, undo removes all alternatives to it, and the variations within these.
        let mut gone = vec![false];
        for line in &game.lines()[1..] {
            gone.push(gone[line.from.line] || !game.is_empty() && line.from == last);
        }
        let stay = game.lines().iter().zip(gone).filter(|(_, gone)| !gone);
        let plies = |line: &Line| line.plies.clone();
        let expected: Vec<_> = stay.skip(1).map(|(line, _)| plies(line)).collect();
        prop_assert_eq!(shorter.lines()[1..].iter().map(plies).collect::<Vec<_>>(), expected);
        let text = sgf::write(std::slice::from_ref(&shorter));
        prop_assert_eq!(lines(&read(&text)), lines(&shorter), "{}", text);
    }

    #[test]
    fn reads_back_lists_of_moves(game in games()) {
        let text = move_list::write(&game);
        let again = move_list::read(&text, &Start::positions_preferring(10)).remove(0).game.unwrap();
        prop_assert_eq!((again.start(), again.moves()), (game.start(), game.moves()), "{}", text);
    }
}

/// Describes each game and each error in a text, with the number of its line. The description of a
/// game says how the game ended, and has its notes, moves and SGF.
fn outcome_text<E: Display>(read: Result<Vec<FoundGame<Game, E>>, E>) -> String {
    let one = |FoundGame { line, game }: FoundGame<Game, E>| match game {
        Ok(game) => {
            let (end, notes) = (&game.end, &game.notes);
            let (moves, sgf) = (move_list::write(&game), sgf::write([&game]));
            format!("line {line}: {end:?} {notes:?}\n{moves}{sgf}")
        }
        Err(error) => format!("line {line}: {error}\n"),
    };
    read.map_or_else(|error| format!("{error}\n"), |found| found.into_iter().map(one).collect())
}

fn snapshot_of(texts: &[&str], describe: impl Fn(&str) -> String) -> String {
    texts.iter().map(|text| format!("{text}\n{}\n", describe(text))).collect()
}

#[test]
fn sgf_is_read_or_refused() {
    let texts = [
        // The example in the definition of SGF.
        "text before\r\n(;FF[4]GM[18]PB[A\\]B]\r\n;B[djddgd]C[one\\\r\n line];W[addgad](;B[gjehea]C[main])\r\n(;B[gjgi\
         gj]C[a variation]))",
        "(;GM[18]C[start](;B[djddgd](;W[addgad];B[gjehea])(;W[jdieih](;B[gjehea])(;B[gjgigj]RE[B+])))(;B[gjgigj]))",
        "(;GM[18]SZ[5:3]AB[aa][ba]AW[ec]AA[ab:cb]AE[bb]PL[W];W[ecdbdc])",
        // The position may be illegal while its squares are set, but not when it is complete.
        "(;GM[18]SZ[5:1]AB[aa:ea]AE[ba])",
        // If white begins, the reader swaps the side to move, the names and the result.
        include_str!("data/faults/white-begins.sgf"),
        "(;GM[18]PL[W]PB[b]PW[w]RE[W+R];W[djddgd];B[addgad])",
        // The reader keeps the colours of set-up amazons, so white cannot move black's amazon.
        "(;GM[18]AB[dj]AW[da]PL[W];W[djddgd])",
        // The last turn of every line may be unfinished.
        "(;GM[18];B[djddgd](;W[ad])(;W[a7-b7])(;W[]))",
        "(;GM[18]RE[0-1]KM[6];B[djddgd]TB[aa])",
        "(;GM[18]RE[?]KM[6];B[djddgd]TB[aa])",
        "(;GM[18]RE[Void]KM[6];B[djddgd]TB[aa])",
        "(;GM[18]RE[B+3];B[djddgd])",
        "(;GM[18]RE[B+0];B[djddgd])",
        // The reader drops a negative margin of victory, but keeps the winner.
        "(;GM[18]RE[B+-3];B[djddgd])",
        "(;GM[18]RE[B+-0];B[djddgd])",
        // Games after a broken game are read. A player with an empty name has no name.
        "(;GM[18];B[djddgd](;W[addgad])!(;W[jdieih]))\n(;FF[4]GM[18]PB[]PW[ ])\n(; hm\n(;GM[18];B[djddgd])(;GM[18",
        "",
        "(;GM[18]",
        "(;GM[18",
        "(;GM)",
        "(GM[18])",
        "()",
        "(;GM[1])",
        "(;GM[18]SZ[x])",
        "(;GM[18]SZ[12])",
        "(;GM[18]SZ[5])",
        "(;GM[18]AB[zz])",
        "(;GM[18]AB[aa:ea])",
        "(;GM[18];W[djajaj])",
        "(;GM[18];B[djddgd];B[djddgd])",
        "(;GM[18];B[djdd];W[addgad])",
        "(;GM[18];B[djeh])",
        "(;GM[18];B[djddgdaa])",
        "(;GM[18];B[djddgd];AA[aa])",
        "(;GM[18];B[djddgd]QV[2])",
        "(;GM[18];B[djddgd]QT[1e308])",
        "(;GM[18];B[djddgd](;W[addgad])(;W[djddgd]))",
        "(;GM[18](;B[djddgd])(;AA[aa]))",
        "(;GM[18];B[djddgd](W[addgad]))",
    ];
    insta::assert_snapshot!("sgf", snapshot_of(&texts, |text| outcome_text(sgf::read(text))));
}

#[test]
fn ggf_is_read_or_refused() {
    let texts = [
        GGS,
        "(;GM[Othello];)",
        "(;GM[Amazons];)",
        "(;GM[Amazons]BO[2 *- -O];)",
        "(;GM[Amazons]BO[2 *-- -O *];)",
        "(;GM[Amazons]BO[2 *? -O *];)",
        "(;GM[Amazons]BO[3 *-- **- *O* *];)",
        "(;GM[Amazons]BO[3 *-- --- --O *]W[C3-C2-C3];)",
        "(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1//x];)",
    ];
    insta::assert_snapshot!("ggf", snapshot_of(&texts, |text| outcome_text(ggf::read(text))));
}

#[test]
fn lines_of_moves_are_one_or_several_games() {
    let read = |text: &str| outcome_text(Ok(move_list::read(text, &Start::positions_preferring(10))));
    let texts = [
        "# two games\nd1-d7/g7 a7-d4/a7\n\nd1-d7/g7",
        "1. d1-d7/g7 a7-d4/a7\n2. g1-e3/e10",
        "1. d1-d7/g7 a7-d4/a7\n2. d1-d7/g7 a7-d4/a7",
        "d1-d7/g7\nd1-d2/z1",
        // Each text is one game: an error in a later move does not begin another game.
        "1. d1-d7/g7 a7-d4/a7\n2. g1-e3/e10 zz",
        "-1 -1 -1 -1 -1 -1\n3 0 3 6 6 6\n3 0 3 6 6 6",
        // The error is about the board on which the first moves are legal, here 8x8.
        "c1-c3/c5 a6-b6/b5 a6-a7/a8",
    ];
    insta::assert_snapshot!("lists", snapshot_of(&texts, read));
    let many = read(&"x\n".repeat(1_000));
    assert_eq!(many.lines().count(), 101);
    assert_contains(&many, &["\nline 101: stopped after 100 games that cannot be read: expected fewer"]);
}
