//! The matches that a restarted client knows.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::add_all;
use super::client::{Client, command, refusal};
use super::site::{self, SECRET, Shape, Site};
use crate::common::scratch::Scratch;

#[test]
fn a_client_that_is_killed_again_and_again_goes_on_by_its_state_file() {
    let site = Site::open();
    add_all(&site);
    let scratch = Scratch::new("killed");
    let state = scratch.path("state.jsonl");
    let arguments = ["--state", &state];
    let answers = |state: &site::State| state.games.values().map(site::Game::answers).sum::<usize>();
    for target in [1, 8, 30, 31, 60, 100] {
        let mut client = Client::start(&site, "killed", &arguments);
        client.wait_at(&site, |state| {
            answers(state) >= target || state.games.values().all(site::Game::is_over)
        });
        client.signal(Signal::KILL);
        let said = client.end();
        assert!(!said.stderr.contains("left unanswered"), "{}", said.stderr);
        let text = fs::read_to_string(&state).unwrap();
        assert!(!text.contains(SECRET) && !text.is_empty(), "{text}");
    }
    let mut client = Client::start(&site, "killed", &arguments);
    client.wait_for(1, "of an earlier process");
    client.wait_for_ends(&site);
    let said = client.stop();
    assert!(!said.stderr.contains("left unanswered"), "{}", said.stderr);
    // Two processes must not go on with the same matches.
    let mut first = Client::start(&site, "first", &arguments);
    first.wait_for(1, "is ready");
    let message = refusal(command(&site, &arguments), 2);
    assert!(message.contains("is in use by another process"), "{message}");
    first.stop();
}

#[test]
fn state_files_are_resumed_or_left_alone() {
    let site = Site::open();
    let [asked, lost] = [0, 1].map(|slot| site.add(Shape::Bare, 8, slot));
    let scratch = Scratch::new("early");
    let state = scratch.path("state.jsonl");
    let arguments = ["--state", &state];
    // Lines had no checksum and the file no header. The clock of that machine said 1970, and it lost
    // its power in the last line.
    let line = |id: &str, play: &str| format!("{{\"time\":1,\"match\":\"{id}\",\"play\":{play}}}\n");
    let play = r#"{"form":"json","plies":[[-1,-1,-1,-1,-1,-1],[5,0,3,2,6,5]],"confirmed":false}"#;
    let unknown = r#"{"form":"json","plies":[],"confirmed":false}"#;
    let over = [line("5fffff", play), line("5fffff", "null")].concat();
    let early = [&over, &line(&asked, play), &line(&lost, unknown), "{\"time\":"].concat();
    let no_line = "expected a line of a state file";
    for (text, board, expected) in [
        ("my diary\n", "8", no_line),
        ("my diary", "8", no_line),
        ("{}\n", "8", no_line),
        (&early.replace("confirmed", "sent"), "8", no_line),
        (
            &early,
            "10",
            "match 5f0001 is not over and cannot be restored: ply 1: the first move is one of a board of 8x8",
        ),
    ] {
        fs::write(&state, text).unwrap();
        let message = refusal(command(&site, &[&arguments[..], &["--board", board]].concat()), 2);
        assert!(message.contains(expected), "{message}");
        assert_eq!(fs::read_to_string(&state).unwrap(), text);
    }
    let mut client = Client::start(&site, "early", &arguments);
    client.wait_for(1, "goes on with 2 matches of an earlier process");
    client.wait_for(0, &format!("match {asked}: "));
    let said = client.stop();
    // The earlier process has reported the match that cannot be restored.
    assert!(!said.stderr.contains("left unanswered"), "{}", said.stderr);
    let text = fs::read_to_string(&state).unwrap();
    assert!(text.starts_with(early.trim_end_matches("{\"time\":")), "{text}");
    let ends = format!("\"match\":\"{asked}\",\"play\":null,\"crc\":");
    assert!(text.lines().any(|line| line.contains(&ends)) && text.contains("\n{\"local-ai\":"), "{text}");
    Client::start(&site, "early", &["--abort", &lost]).end();
    let mut client = Client::start(&site, "early", &arguments);
    client.wait_for(0, &format!("match {lost}: aborted"));
    client.stop();
    assert!(fs::read(&state).unwrap().is_empty(), "all are over: the file begins anew");
}

#[test]
fn no_failed_write_of_the_state_loses_a_match() {
    let (mut met, mut unsaved) = (0, 0);
    for number in 1.. {
        let scratch = Scratch::new("state-faults");
        let arguments = ["--board", "6", "--state", &scratch.path("state.jsonl")];
        let site = Site::open();
        // One ply a request: a client that forgets the match cannot go on with it.
        let id = site.add(Shape::Bare, 6, number % 2);
        let mut faulty = command(&site, &arguments);
        faulty.env("QUIVER_FILE_FAULT", number.to_string());
        let mut client = Client::spawn(faulty, "state-faults");
        let is_over = || site.state().games[&id].is_over();
        while client.child.try_wait().unwrap().is_none() && !is_over() {
            // Killed as soon as all is written that was not: what is in the file must be enough.
            if client.said(1).contains("up to date again") {
                client.signal(Signal::KILL);
                client.child.wait().unwrap();
            }
            thread::sleep(Duration::from_millis(2));
        }
        if client.child.try_wait().unwrap().is_none() {
            client.wait_for(0, &format!("match {id}: "));
            client.signal(Signal::INT);
        }
        let first = client.end();
        site.wait_until_idle();
        if !is_over() {
            let refused = first.stderr.contains("--state ") && first.code == Some(2);
            assert!(refused || first.code.is_none(), "{number}: {}", first.stderr);
            let mut client = Client::start(&site, "state-faults", &arguments);
            // The match may be over before this client hears signals.
            client.wait_for(1, "is ready");
            client.wait_at(&site, |state| state.games[&id].is_over());
            let said = client.stop();
            assert!(!said.stderr.contains("left unanswered"), "{number}: {}", said.stderr);
        }
        assert_eq!(site.state().complaints, Vec::<String>::new());
        if !first.stderr.contains("injected fault") {
            break;
        }
        met += 1;
        let told = ["up to date again", "--state ", "the log is given up"];
        unsaved += usize::from(!told.iter().any(|told| first.stderr.contains(told)));
    }
    assert!(met > 10, "{met} faults");
    // Only the last change, that a match is over, is followed by none that brings it along.
    assert!(unsaved <= 1, "{unsaved} of {met} faults");
}

#[test]
fn without_a_state_file_whole_histories_go_on_and_single_plies_are_reported() {
    let site = Site::open();
    let full = site.add(Shape::Full, 8, 0);
    let bare = site.add(Shape::Bare, 8, 0);
    let mut client = Client::start(&site, "forgot", &[]);
    client.wait_at(&site, |state| state.games.values().all(|game| game.answers() >= 2));
    client.signal(Signal::KILL);
    client.end();
    let mut client = Client::start(&site, "forgot", &[]);
    client.wait_at(&site, |state| state.games[&full].is_over());
    client.wait_for(1, &format!("match {bare}: left unanswered: a match that is not known here"));
    let said = client.stop();
    assert_eq!(said.stderr.matches("left unanswered").count(), 1, "{}", said.stderr);
    // Asked to, the client ends what it cannot go on with.
    let mut client = Client::start(&site, "forgot", &["--abort-lost"]);
    client.wait_for(0, &format!("match {bare}: ended on request"));
    client.wait_for(0, &format!("match {bare}: aborted"));
    client.stop();
    assert_eq!(site.state().aborts, [bare]);
}
