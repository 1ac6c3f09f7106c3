//! Tests games in SGF, GGF and lists of moves.

use crate::common::strategies::boards;
use proptest::collection::vec;
use proptest::prelude::*;
use quiver::Start;
use quiver::amazons::{Annotation, Cause, Game, Line, Outcome, PlayedMove, Point, Side, ggf, move_list, sgf};
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

/// Random text for a name or event. It has no white space at its ends, because SGF drops it there.
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
            // Reading a game sets its end by the rules, so the random game gets the same end.
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
        // Undo removes a variation if it begins at the undone move, or within a removed variation.
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
        let again = move_list::read(&text, &Start::positions_from(10)).remove(0).game.unwrap();
        prop_assert_eq!((again.start(), again.moves()), (game.start(), game.moves()), "{}", text);
    }
}

#[test]
fn reads_game_of_ggs() {
    let game = ggf::read(GGS).unwrap().remove(0).game.unwrap();
    assert_eq!(game.plies().len(), 10);
    assert_eq!(game.players, [Some("amsbot5".into()), Some("Raphael".into())]);
    assert_eq!(game.plies()[0].facts.seconds, Some(5.04));
    assert_eq!(game.plies()[0].facts.comment, "evaluation 11.50");
    let end = game.end.as_ref().unwrap();
    assert_eq!((end.winner, end.margin, end.cause), (Side::Second, Some(3.0), Cause::Unstated));
    let text = sgf::write(std::slice::from_ref(&game));
    for expected in ["RE[W+3]", ";B[djddgd]QT[5.04]C[evaluation 11.50];W[jdggbg]"] {
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(read(&text), game);
}

#[test]
fn reads_example_of_sgf_definition() {
    let text = "text before\r\n(;FF[4]GM[18]PB[A\\]B]\r\n;B[djddgd]C[one\\\r\n line];W[addgad](;B[gjehea]C[main])\r\n(;B[gjgi\
                gj]C[a variation]))";
    let game = read(text);
    let told = |ply: &PlayedMove| (ply.played.to_string(), ply.facts.comment.clone());
    let expected = [("d1-d7/g7", "one line"), ("a7-d4/a7", ""), ("g1-e3/e10", "main")];
    let expected = expected.map(|(played, comment)| (played.to_owned(), comment.to_owned()));
    assert_eq!(game.plies().iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(game.players[0].as_deref(), Some("A]B"));
    let [_, variation] = game.lines() else { panic!("{:?}", game.lines()) };
    assert_eq!(variation.from, Point { line: 0, ply: 2 });
    assert_eq!(variation.plies[0].facts.comment, "a variation");
}

#[test]
fn reads_nested_variations() {
    let text = "(;GM[18]C[start](;B[djddgd](;W[addgad];B[gjehea])(;W[jdieih](;B[gjehea])(;B[gjgigj]RE[B+])))(;B[gjgigj]))";
    let game = read(text);
    let from: Vec<_> =
        game.lines()[1..].iter().map(|one| (one.from.line, one.from.ply, one.plies.len())).collect();
    assert_eq!(from, [(0, 1, 2), (1, 1, 1), (0, 0, 1)]);
    assert_eq!((game.plies().len(), game.comment.as_str(), &game.end), (3, "start", &None));
}

#[test]
fn reads_boards_that_are_set_up() {
    let text = "(;GM[18]SZ[5:3]AB[aa][ba]AW[ec]AA[ab:cb]AE[bb]PL[W];W[ecdbdc])";
    let game = read(text);
    assert_eq!(game.start().to_string(), "QQ3/*1*2/4q b - - 0 1");
    assert_eq!(game.moves()[0].to_string(), "e1-d2/d1");
    // The position may be illegal while its squares are set, but not when it is complete.
    let five = read("(;GM[18]SZ[5:1]AB[aa:ea]AE[ba])");
    assert_eq!(five.start().to_string(), "Q1QQQ w - - 0 1");
}

#[test]
fn reads_sgf_of_other_sites_with_notes() {
    let game = read(include_str!("data/faults/white-begins.sgf"));
    assert_eq!(game.start(), &crate::common::start(10));
    assert_eq!(game.players, [Some("first".into()), Some("second".into())]);
    assert_eq!(game.moves().iter().map(ToString::to_string).collect::<Vec<_>>(), ["d1-d6/g9", "g10-b5/j5"]);
    assert_eq!(game.end, Some(Outcome::new(Side::First, Cause::Unstated)));
    let notes = |text: &str| read(text).notes.join("; ");
    assert_eq!(
        game.notes,
        [
            "the colours are swapped: the first move is legal only for the other colour",
            "move 3, 'jgjj', is an unfinished turn and was left out",
        ]
    );
    // If white begins, the side to move, the names and the result are exchanged.
    let game = read("(;GM[18]PL[W]PB[b]PW[w]RE[W+R];W[djddgd];B[addgad])");
    assert_eq!((game.len(), game.players[0].as_deref(), game.winner()), (2, Some("w"), Some(Side::First)));
    // Amazons that are set up keep their colours.
    assert!(sgf::read("(;GM[18]AB[dj]AW[da]PL[W];W[djddgd])").unwrap()[0].game.is_err());
    // The last turn of every line may be unfinished.
    assert_eq!(
        notes("(;GM[18];B[djddgd](;W[ad])(;W[a7-b7])(;W[]))"),
        "move 2, 'ad', is an unfinished turn and was left out; \
         move 2, 'a7-b7', is an unfinished turn and was left out; \
         move 2, '', is an unfinished turn and was left out"
    );
    for (result, winner) in [("0-1", Some(Side::Second)), ("?", None), ("Void", None)] {
        let game = read(&format!("(;GM[18]RE[{result}]KM[6];B[djddgd]TB[aa])"));
        assert_eq!(game.winner(), winner, "{result}");
        let unread = "these properties were ignored: KM, TB".to_owned();
        let unread_result = "the result 'Void' was ignored: expected a winner, as in B+R or 1-0".to_owned();
        let expected = if result == "Void" { vec![unread_result, unread] } else { vec![unread] };
        assert_eq!(game.notes, expected);
    }
}

#[test]
fn margins_are_never_negative() {
    for (result, margin) in [("B+3", Some(3.0)), ("B+0", Some(0.0)), ("B+-3", None), ("B+-0", None)] {
        let text = format!("(;GM[18]RE[{result}];B[djddgd])");
        let game = read(&text);
        let end = game.end.as_ref().unwrap();
        assert_eq!((end.winner, end.margin), (Side::First, margin), "{result}");
    }
}

#[test]
fn errors_name_place_and_expectation() {
    let mut told = String::new();
    for text in [
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
        "(;GM[Othello];)",
        "(;GM[Amazons];)",
        "(;GM[Amazons]BO[2 *- -O];)",
        "(;GM[Amazons]BO[2 *-- -O *];)",
        "(;GM[Amazons]BO[2 *? -O *];)",
        "(;GM[Amazons]BO[3 *-- **- *O* *];)",
        "(;GM[Amazons]BO[3 *-- --- --O *]W[C3-C2-C3];)",
        "(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1//x];)",
    ] {
        let is_ggf = text.contains("GM[Amazons]") || text.contains("Othello");
        let found = if is_ggf { ggf::read(text) } else { sgf::read(text) };
        let error = found.and_then(|mut found| found.remove(0).game).unwrap_err();
        told += &format!("{text}\n{error}\n\n");
    }
    insta::assert_snapshot!("errors", told);
}

#[test]
fn lines_of_moves_are_one_or_several_games() {
    let counts = |text| -> Vec<usize> {
        let found = move_list::read(text, &Start::positions_from(8)).into_iter();
        found.map(|found| found.game.unwrap().plies().len()).collect()
    };
    assert_eq!(counts("# two games\nd1-d7/g7 a7-d4/a7\n\nd1-d7/g7\n"), [2, 1]);
    assert_eq!(counts("1. d1-d7/g7 a7-d4/a7\n2. g1-e3/e10\n"), [3]);
    assert_eq!(counts("1. d1-d7/g7 a7-d4/a7\n2. d1-d7/g7 a7-d4/a7\n"), [2, 2]);
    for (text, entries, line, expected) in [
        ("d1-d7/g7\nd1-d2/z1\n", 2, 2, "'d1-d2/z1' is no full move"),
        // Each text is one game: an error in a later move does not begin another game.
        ("1. d1-d7/g7 a7-d4/a7\n2. g1-e3/e10 zz", 1, 1, "'zz' is no full move"),
        ("-1 -1 -1 -1 -1 -1\n3 0 3 6 6 6\n3 0 3 6 6 6", 1, 1, "on 10x10: move 2, "),
        // The error names the board on which the first moves are legal.
        ("c1-c3/c5 a6-b6/b5 a6-a7/a8", 1, 1, "on 8x8: move 3, "),
        (&"x\n".repeat(1_000), 101, 101, "100 games that cannot be read: expected fewer"),
    ] {
        let mut found = move_list::read(text, &Start::positions_from(10));
        let (count, last) = (found.len(), found.remove(found.len() - 1));
        let error = last.game.unwrap_err().to_string();
        assert_eq!((count, last.line), (entries, line), "{text}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn reads_games_after_broken_game() {
    let texts = "(;GM[18];B[djddgd](;W[addgad])!(;W[jdieih]))\n(;FF[4]GM[18]PB[]PW[ ])\n(; hm\n(;GM[18];B[djddgd])(;GM[18";
    let found = sgf::read(texts).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.line, one.game.is_ok())).collect();
    assert_eq!(told, [(1, false), (2, true), (3, false), (4, true), (4, false)]);
    // A player with an empty name has no name.
    assert_eq!(found[1].game.as_ref().unwrap().players, [None, None]);
}
