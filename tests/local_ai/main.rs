//! `quiver local-ai` against a site that speaks the documented protocol and breaks in every
//! documented way.
//!
//! No test depends on how fast the machine is: each waits for what must happen, for as long as it
//! takes.
#![cfg(feature = "local-ai")]

mod client;
mod site;
mod stops;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use client::{Client, Said, command, path};
use rustix::process::Signal;
use site::{Fault, SECRET, SHAPES, Shape, Site, USER};

/// The results of the matches as the client printed them.
fn results(said: &Said) -> usize {
    let results = |line: &&str| line.contains(": won ") || line.contains(": lost ");
    said.stdout.lines().filter(results).count()
}

const RANDOM: [&str; 4] = ["--player", "random", "--concurrency", "2"];

/// A match of each shape, first and second on 8x8 and second on 10x10.
fn add_all(site: &Site) {
    for shape in SHAPES {
        for (board, slot) in [(8, 0), (8, 1), (10, 1)] {
            site.add(shape, board, slot);
        }
    }
}

#[test]
fn whole_matches_of_every_shape_on_two_boards_at_once() {
    let site = Site::open();
    add_all(&site);
    let said = Client::start(&site, "whole", &RANDOM).finish(&site);
    assert_eq!(results(&said), 9, "{}", said.stdout);
    assert!(said.stdout.lines().last().unwrap().starts_with("finished: "), "{}", said.stdout);
    assert!(said.log.contains(" < match 5f0001: asked -1 -1 -1 -1 -1 -1"), "{}", said.log);
    assert!(said.log.contains(" > match 5f0001: turn 1, "), "{}", said.log);
}

#[test]
fn the_engine_plays_more_matches_than_it_has_trees_and_thinks_on_the_opponents_time() {
    let site = Site::open();
    site.state().opponent = Duration::from_millis(30);
    for shape in SHAPES {
        site.add(shape, 8, 0);
    }
    site.add(Shape::Bare, 10, 1);
    let arguments = ["--playouts", "40", "--ponder", "--concurrency", "2", "--matches", "3"];
    let said = Client::start(&site, "engine", &arguments).finish(&site);
    assert_eq!(results(&said), 4, "{}", said.stdout);
    // Against a random player the engine does not lose; and it found visits where it had only 40
    // playouts a move.
    assert!(said.stdout.contains("finished: 4 won, 0 lost"), "{}", said.stdout);
    assert!(said.log.contains(" reused)"), "{}", said.log);
}

#[test]
fn every_fault_of_the_site_is_outlived() {
    let site = Site::open();
    add_all(&site);
    let faults = [
        Fault::Status(502, "<html>Bad Gateway</html>"),
        Fault::StatusAfter(504),
        Fault::Status(500, "oops"),
        Fault::Status(503, "维护中"),
        Fault::Close,
        Fault::CloseAfter,
        Fault::CutHead,
        Fault::CutBody,
        Fault::FewerLines,
        Fault::Drip,
        Fault::Forgetful,
        Fault::Strangers,
        Fault::Foreign,
        Fault::Redirect("http://example.org/steal".into()),
        Fault::Status(404, "no such page"),
        Fault::StatusAfter(502),
    ];
    // After the first contact, each twice with peace in between.
    let peaceful = |fault: Fault| [Fault::Drip, fault];
    site.fail(faults.iter().cloned().flat_map(peaceful));
    site.fail(faults);
    let said = Client::start(&site, "faults", &RANDOM).finish(&site);
    // A result is counted once, however often it is told.
    assert_eq!(results(&said), 9 + 1, "{}", said.stdout);
    for expected in [
        "the site answers 502; again in 0.02 s",
        "the site answers 504; again in",
        "the site answers 500: oops; again in",
        "the site answers 503: 维护中; again in",
        "the site's message did not come whole",
        "the body has",
        "the same request again, its answer stays",
        "match ffff01: left unanswered: a match that is not known here",
        "match ffff02: left unanswered: 'what is this?' is no request",
        "this is not the site speaking: the body begins with '<html>***</html>'",
        "a redirection (302), which is not followed",
        "the site answers 404: no such page",
        "the site answers again after 1 failure",
    ] {
        assert!(said.stderr.contains(expected), "{expected}: {}", said.stderr);
    }
    assert!(said.stdout.contains("match ffff03: won 2-0 as the first player\nmatch ffff04: aborted\n"));
    assert!(!said.stderr.contains("example.org"));
}

#[test]
fn a_poll_without_news_is_given_up_and_made_again() {
    let site = Site::open();
    site.add(Shape::Bare, 8, 0);
    site.fail([Fault::Silence, Fault::Drip, Fault::Silence, Fault::Drip, Fault::Silence]);
    let arguments = [&RANDOM[..], &["--poll-timeout", "0.2"]].concat();
    let said = Client::start(&site, "silence", &arguments).finish(&site);
    assert_eq!(results(&said), 1);
    assert!(!said.stderr.contains("again in"), "{}", said.stderr);
}

#[test]
fn a_refused_account_and_a_refused_call_end_with_what_the_site_said() {
    let site = Site::open();
    let wrong = command(&site, &[]).env("QUIVER_BOTZONE_SECRET", "Wr0ngSecret").output().unwrap();
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(1), 0), "{message}");
    assert!(message.contains("(401: no such account: /api/5f00ba4/***/localai)"), "{message}");
    assert!(message.contains("本地AI") && !message.contains("Wr0ngSecret"), "{message}");
    for (fault, expected) in [
        (Fault::Status(400, "X-Match-1 is no match of TopS3cretWord"), "(400: X-Match-1 is no match of ***)"),
        (Fault::Redirect(format!("https://example.org/api/{USER}/{SECRET}/localai")), "a redirection (302)"),
        (Fault::Foreign, "this is not the address of the site"),
        (Fault::Status(404, "nothing"), "this is not the address of the site: the site answers 404: nothing"),
    ] {
        site.fail([fault]);
        let Output { status, stderr, .. } = command(&site, &[]).output().unwrap();
        let message = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(1), "{message}");
        assert!(message.contains(expected) && !message.contains(SECRET), "{message}");
    }
}

#[test]
fn accounts_come_from_the_environment_or_a_safe_file_and_bad_ones_are_not_repeated() {
    let site = Site::open();
    let file = path("credentials");
    let refusal = |mut command: Command| {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let message = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), stdout.len()), (Some(2), 0), "{message}");
        assert!(message.starts_with("quiver: ") || message.starts_with("error: "), "{message}");
        assert!(!message.contains(SECRET), "{message}");
        message
    };
    let bare = |arguments: &[&str]| {
        let mut bare = command(&site, arguments);
        bare.env_remove("QUIVER_BOTZONE_USER").env_remove("QUIVER_BOTZONE_SECRET");
        bare
    };
    assert!(refusal(bare(&[])).contains("no account: expected QUIVER_BOTZONE_URL"));
    let mut broken = bare(&[]);
    broken.env("QUIVER_BOTZONE_URL", format!("https://host/{SECRET}"));
    assert!(refusal(broken).contains("the environment: the address is not one of 本地AI"));
    assert!(refusal(command(&site, &["--base-url", "http://example.org"])).contains("is not https"));
    let message = refusal(command(&site, &["--matches", "100"]));
    assert!(message.contains("--memory: 67108864 bytes for 100 engines"), "{message}");

    fs::write(&file, format!("user={USER}\nsecret={SECRET}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let with_file = ["--credentials", file.to_str().unwrap()];
    assert!(refusal(bare(&with_file)).contains("(mode 644), and a secret must not be: chmod 600"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    site.add(Shape::Text, 8, 1);
    let said = Client::start(&site, "file", &[&RANDOM[..], &with_file].concat()).finish(&site);
    assert_eq!(results(&said), 1);
}

#[test]
fn a_client_that_is_killed_again_and_again_goes_on_by_its_state_file() {
    let site = Site::open();
    add_all(&site);
    let state = path("killed.jsonl");
    let _ = fs::remove_file(&state);
    let arguments = [&RANDOM[..], &["--state", state.to_str().unwrap()]].concat();
    let answers = |games: &site::State| games.games.values().map(|game| game.answers).sum::<usize>();
    for target in [1, 8, 30, 31, 60, 100] {
        let mut client = Client::start(&site, "killed", &arguments);
        site.wait(
            |state| answers(state) >= target || state.games.values().all(site::Game::is_over),
            &mut || client.check_alive(),
        );
        client.signal(Signal::KILL);
        let said = client.end();
        assert!(!said.stderr.contains("left unanswered"), "{}", said.stderr);
    }
    let mut client = Client::start(&site, "killed", &arguments);
    client.wait_for(1, "of an earlier process");
    site.wait(|state| state.games.values().all(site::Game::is_over), &mut || client.check_alive());
    let said = client.stop();
    assert!(!said.stderr.contains("left unanswered"), "{}", said.stderr);
    let text = fs::read_to_string(&state).unwrap();
    assert!(!text.contains(SECRET) && text.lines().count() > 100, "{text}");
    // Two processes must not go on with the same matches.
    let mut first = Client::start(&site, "first", &arguments);
    first.wait_for(1, "is ready");
    let second = command(&site, &arguments).output().unwrap();
    let message = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.code() == Some(2) && message.contains("is in use by another process"), "{message}");
    first.stop();
}

#[test]
fn no_failed_write_of_the_state_loses_a_match() {
    let state = path("state-faults.jsonl");
    let arguments = ["--player", "random", "--board", "6", "--state", state.to_str().unwrap()];
    let (mut met, mut unsaved) = (0, 0);
    for kind in ["", ":short"] {
        for number in 1.. {
            let site = Site::open();
            // One ply a request: a client that forgets the match cannot go on with it.
            let id = site.add(Shape::Bare, 6, number % 2);
            let _ = fs::remove_file(&state);
            let mut faulty = command(&site, &arguments);
            faulty.env("QUIVER_FILE_FAULT", format!("{number}{kind}"));
            let mut client = Client::spawn(faulty, "state-faults");
            let said = |client: &Client| fs::read_to_string(&client.files[1]).unwrap();
            let is_over = || site.state().games[&id].is_over();
            while client.child.try_wait().unwrap().is_none() && !is_over() {
                // Killed as soon as all is written that was not: what is in the file must be
                // enough.
                if said(&client).contains("up to date again") {
                    client.signal(Signal::KILL);
                }
                thread::sleep(Duration::from_millis(2));
            }
            if client.child.try_wait().unwrap().is_none() {
                client.wait_for(0, &format!("match {id}: "));
                client.signal(Signal::INT);
            }
            let first = client.end();
            if !is_over() {
                let refused = first.stderr.contains("--state: ") && first.status.code() == Some(2);
                assert!(refused || first.status.code().is_none(), "{number}{kind}: {}", first.stderr);
                let mut client = Client::start(&site, "state-faults", &arguments);
                site.wait(|state| state.games[&id].is_over(), &mut || client.check_alive());
                let said = client.stop();
                assert!(!said.stderr.contains("left unanswered"), "{number}{kind}: {}", said.stderr);
            }
            assert_eq!(site.state().complaints, Vec::<String>::new());
            if !first.stderr.contains("injected fault") {
                break;
            }
            met += 1;
            let told = ["up to date again", "--state: ", "the log is given up"];
            unsaved += usize::from(!told.iter().any(|told| first.stderr.contains(told)));
        }
    }
    assert!(met > 20, "{met} faults");
    // Only the last change, that a match is over, is followed by none that brings it along.
    assert!(unsaved <= 2, "{unsaved} of {met} faults");
}

#[test]
fn without_a_state_file_whole_histories_go_on_and_single_plies_are_reported() {
    let site = Site::open();
    let full = site.add(Shape::Full, 8, 0);
    let bare = site.add(Shape::Bare, 8, 0);
    let mut client = Client::start(&site, "forgot", &RANDOM);
    site.wait(|state| state.games.values().all(|game| game.answers >= 2), &mut || client.check_alive());
    client.signal(Signal::KILL);
    client.end();
    let mut client = Client::start(&site, "forgot", &RANDOM);
    site.wait(|state| state.games[&full].is_over(), &mut || client.check_alive());
    client.wait_for(1, &format!("match {bare}: left unanswered: a match that is not known here"));
    let said = client.stop();
    assert_eq!(said.stderr.matches("left unanswered").count(), 1, "{}", said.stderr);
    // Asked to, the client ends what it cannot go on with.
    let mut client = Client::start(&site, "forgot", &[&RANDOM[..], &["--abort-lost"]].concat());
    client.wait_for(0, &format!("match {bare}: ended on request"));
    client.wait_for(0, &format!("match {bare}: aborted"));
    client.stop();
    assert_eq!(site.state().aborts, [bare]);
}

#[test]
fn matches_are_started_played_and_counted() {
    let site = Site::open();
    let arguments =
        ["--run", "b07", "--games", "5", "--matches", "2", "--simple-io", "true", "--time-limit", "6"];
    let said = Client::start(&site, "run", &[&RANDOM[..], &arguments].concat()).end();
    assert_eq!(said.status.code(), Some(0), "{}", said.stderr);
    assert_eq!(
        (results(&said), said.stdout.matches("started against b07").count()),
        (5, 5),
        "{}",
        said.stdout
    );
    let state = site.state();
    for (game, headers) in state.started.iter().enumerate() {
        let header = |name: &str| headers.get(name).map(String::as_str);
        assert_eq!(header(&format!("X-Player-{}", game % 2)), Some("me"));
        assert_eq!(header(&format!("X-Player-{}", 1 - game % 2)), Some("b07"));
        assert_eq!((header("X-UseSimpleIO"), header("X-Timelimit")), (Some("true"), Some("6")));
        assert_eq!(header("X-Initdata"), None);
    }
    drop(state);
    // A bot that is none: the others are played, and the command has failed.
    let arguments = ["--run", "b07", "--run", "bad", "--side", "second", "--initdata", "{}"];
    let said = Client::start(&site, "run", &[&RANDOM[..], &arguments].concat()).end();
    assert_eq!(said.status.code(), Some(1), "{}", said.stderr);
    assert!(
        said.stderr.contains("no match against bad: no bot bad under /api/5f00ba4/***/"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("1 not started") && results(&said) == 1, "{}", said.stdout);
    assert_eq!(site.state().started.last().unwrap()["X-Initdata"], "{}");
}

#[test]
fn matches_are_ended_on_request() {
    let site = Site::open();
    let id = site.add(Shape::Text, 8, 0);
    let said = Client::start(&site, "abort", &["--abort", &id]).end();
    assert_eq!((said.status.code(), said.stdout), (Some(0), format!("match {id}: ended on request\n")));
    // The account as the site shows it.
    let mut by_address = command(&site, &["--abort", &id]);
    by_address.env_remove("QUIVER_BOTZONE_USER").env_remove("QUIVER_BOTZONE_SECRET");
    by_address.env("QUIVER_BOTZONE_URL", format!("https://www.botzone.org.cn/api/{USER}/{SECRET}/localai"));
    assert_eq!(by_address.output().unwrap().status.code(), Some(0));
    let said = Client::start(&site, "abort", &["--abort", "5fffff"]).end();
    assert_eq!(said.status.code(), Some(1));
    assert!(said.stderr.contains("match 5fffff: not ended: no such match"), "{}", said.stderr);
}

/// 200 matches a board of the engine at 20 ms a turn; prints scores, the slowest turn and the peak
/// memory. Run with `cargo test --release --test local_ai -- --ignored --nocapture soak`.
#[test]
#[ignore = "takes minutes"]
fn soak() {
    for board in [8, 10] {
        let site = Site::open();
        for game in 0..200 {
            site.add(SHAPES[game % 3], board, game % 2);
        }
        let state = path(&format!("soak-{board}-state"));
        let _ = fs::remove_file(&state);
        let side = board.to_string();
        let state = state.to_str().unwrap();
        let arguments = ["--board", &side, "--time", "0.02", "--concurrency", "2", "--state", state];
        let mut client = Client::start(&site, &format!("soak-{board}"), &arguments);
        site.wait(|state| state.games.values().all(site::Game::is_over), &mut || client.check_alive());
        let status = fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        let said = client.finish(&site);
        let slowest =
            said.log.lines().filter_map(|line| line.split(", ").find_map(|part| part.strip_suffix(" ms")));
        let mut turns: Vec<u64> = slowest.map(|ms| ms.parse().unwrap()).collect();
        turns.sort_unstable();
        let last = said.stdout.lines().last().unwrap();
        println!("{board}x{board}: {last}; {peak}");
        println!(
            "{} turns, median {} ms, slowest {:?} ms",
            turns.len(),
            turns[turns.len() / 2],
            &turns[turns.len() - 5..]
        );
        assert_eq!(results(&said), 200, "{}", said.stdout);
    }
}
