//! Whole matches between two bot processes.

use crate::process::{Bot, WIRES, Wire, run};
use crate::referee::{NONE, Ply, Referee};

/// Plays to the end; gives the plies. `before` sees the bots before each ply.
fn play(mut referee: Referee, bots: &mut [Bot; 2], mut before: impl FnMut(usize, &mut [Bot; 2])) -> Vec<Ply> {
    let mut plies: Vec<Ply> = Vec::new();
    while referee.can_move() {
        before(plies.len(), bots);
        let request = plies.last().copied().unwrap_or(NONE);
        let ply = bots[referee.mover()].turn(request);
        plies.push(ply);
        assert!(referee.play(ply), "illegal: {plies:?}");
    }
    plies
}

/// Two bots of one kind on a board.
fn pair(wire: Wire, board: usize, more: &str) -> [Bot; 2] {
    // The second player is not told the board: the history says it.
    [Bot::new(wire, &format!("bot --board {board} {more}")), Bot::new(wire, &format!("bot {more}"))]
}

fn whole_match(wire: Wire) {
    for (board, least) in [(8, 20), (10, 40)] {
        let plies = play(Referee::new(board, false), &mut pair(wire, board, "--playouts 20"), |_, _| {});
        assert!(plies.len() >= least, "{board}: {} plies", plies.len());
    }
}

#[test]
fn whole_matches_in_json_once() {
    whole_match(WIRES[0]);
}

#[test]
fn whole_matches_in_json_kept() {
    whole_match(WIRES[1]);
}

#[test]
fn whole_matches_in_text_once() {
    whole_match(WIRES[2]);
}

#[test]
fn whole_matches_in_text_kept() {
    whole_match(WIRES[3]);
}

/// The player without a memory, and the one whose tree must not outlive what it was built for.
const PLAYERS: [&str; 2] = ["--player random", "--playouts 20"];

fn kept_wires_and_players() -> impl Iterator<Item = (Wire, &'static str)> {
    let kept = WIRES.into_iter().filter(|wire| wire.kept);
    kept.flat_map(|wire| PLAYERS.map(|player| (wire, player)))
}

#[test]
fn a_bot_restarted_mid_match_goes_on() {
    for (wire, player) in kept_wires_and_players() {
        let mut bots = pair(wire, 10, player);
        play(Referee::new(10, false), &mut bots, |ply, bots| {
            if ply % 7 == 3 {
                bots[ply % 2].restart();
            }
        });
    }
}

#[test]
fn both_sides_play_on_every_start() {
    for (wire, player) in kept_wires_and_players() {
        for choice in ["formula", "left", "auto"] {
            let bot = || Bot::new(wire, &format!("{player} --board 10 --start {choice}"));
            // Under auto both are careful at first, so that either start would do for as long as
            // that lasts.
            play(Referee::new(10, choice == "left"), &mut [bot(), bot()], |_, _| {});
        }
    }
}

#[test]
fn a_first_move_is_right_whoever_is_mistaken_about_the_start() {
    for choice in ["left", "formula", "auto"] {
        for seed in 0..5 {
            let arguments = format!("--player random --board 10 --start {choice} --seed {seed}");
            let first = Bot::new(WIRES[0], &arguments).turn(NONE);
            for left in [false, true] {
                assert!(Referee::new(10, left).play(first), "{first:?} with left = {left}");
            }
        }
    }
    // Once more with a player that searches.
    let first = Bot::new(WIRES[0], "--board 10 --playouts 20").turn(NONE);
    assert!([false, true].into_iter().all(|left| Referee::new(10, left).play(first)), "{first:?}");
}

#[test]
fn auto_never_gives_the_start_away() {
    PLAYERS.into_iter().for_each(auto_keeps_both_readings);
}

fn auto_keeps_both_readings(player: &str) {
    let mut bots =
        [0, 1].map(|seed| Bot::new(WIRES[3], &format!("{player} --board 10 --start auto --seed {seed}")));
    let mut readings = [Referee::new(10, false), Referee::new(10, true)];
    let mut request = NONE;
    // As long as the careful amazons can move, and these matches are far from closing them in here.
    for ply in 0..10 {
        request = bots[ply % 2].turn(request);
        for reading in &mut readings {
            assert!(reading.play(request), "ply {ply}: {request:?}");
        }
    }
}

#[test]
fn the_samples_are_answered() {
    let samples: [(&[u8], usize, &[Ply]); 5] = [
        (include_bytes!("../data/botzone/first-turn.json"), 10, &[]),
        (include_bytes!("../data/botzone/second-player-10x10.json"), 10, &[[3, 0, 3, 6, 6, 6]]),
        (include_bytes!("../data/botzone/stored-data.txt"), 10, &[[0, 3, 1, 3, 0, 3]]),
        (
            include_bytes!("../data/botzone/history-8x8.json"),
            8,
            &[[5, 0, 3, 2, 6, 5], [0, 5, 4, 5, 3, 4], [0, 2, 0, 3, 3, 0], [2, 7, 2, 5, 1, 4]],
        ),
        (
            include_bytes!("../data/botzone/history-8x8.txt"),
            8,
            &[[5, 0, 3, 2, 6, 5], [0, 5, 4, 5, 3, 4], [0, 2, 0, 3, 3, 0], [2, 7, 2, 5, 1, 4]],
        ),
    ];
    for (input, board, plies) in samples {
        // Ended by the end of the input: an answer, the marker, and a quiet end.
        let output = run(&["--playouts", "20"], input, false);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && (plies.is_empty() || errors.is_empty()), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.ends_with(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"), "{text}");
        let line = text.lines().next().unwrap();
        let answer: Vec<i64> = if line.starts_with('{') {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let names = ["x0", "y0", "x1", "y1", "x2", "y2"];
            names.map(|name| value["response"][name].as_i64().unwrap()).to_vec()
        } else {
            line.split(' ').map(|number| number.parse().unwrap()).collect()
        };
        let mut referee = Referee::new(board, false);
        assert!(plies.iter().all(|&ply| referee.play(ply)));
        assert!(referee.play(answer.try_into().unwrap()), "{line}");
    }
}

#[test]
fn warns_once_when_it_assumes_the_board() {
    let turns = b"1\n-1 -1 -1 -1 -1 -1\n-1 -1 -1 -1 -1 -1\n";
    let talk = |arguments: &[&str], board: Option<&str>, input: &[u8]| {
        let mut command = crate::process::command(&[&["--player", "random"], arguments].concat());
        let mut child = command.envs(board.map(|board| ("QUIVER_BOARD", board))).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
    };
    let warned = talk(&[], None, turns);
    let expected = "quiver: this bot moves first and no board is given: it assumes 10x10";
    assert!(warned.starts_with(expected) && warned.matches("--board 8").count() == 1, "{warned}");
    // The first answer was one of 10x10; the second request, without a move, is refused.
    assert_eq!(warned.matches("assumes").count(), 1, "{warned}");
    let first = &turns[..turns.len() / 2];
    assert_eq!(talk(&["--board", "10"], None, first), "");
    assert_eq!(talk(&[], Some("8"), first), "");
    // The opponent's move tells the board.
    assert_eq!(talk(&[], None, b"5 0 3 2 6 5\n"), "");
}

#[test]
fn the_log_has_what_went_over_the_wire_and_no_log_is_no_harm() {
    let path = std::env::temp_dir().join(format!("quiver-log-{}", std::process::id()));
    let input = b"1\n-1 -1 -1 -1 -1 -1\n";
    for _ in 0..2 {
        let log = ["--player", "random", "--board", "10", "--log", path.to_str().unwrap()];
        let output = run(&log, input, false);
        assert!(output.status.success() && output.stderr.is_empty());
    }
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for part in [" < 1\n", " < -1 -1 -1 -1 -1 -1\n", " > no search\n", " # the input ended\n"] {
        assert_eq!(log.matches(part).count(), 2, "{part}: {log}");
    }
    let time = |line: &str| line.split_once(' ').unwrap().0.parse::<f64>().unwrap();
    assert!(log.lines().all(|line| time(line) > 1.6e9), "{log}");
    let log = ["--player", "random", "--board", "10", "--log", "/nonexistent/log"];
    let output = run(&log, input, false);
    assert!(output.status.success() && output.stdout.starts_with(b"3 0 "), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
}
