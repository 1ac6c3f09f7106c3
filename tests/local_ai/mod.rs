//! `quiver local-ai` against a site that speaks the documented protocol and breaks in every
//! documented way.
//!
//! No test depends on how fast the machine is: each waits for what must happen, for as long as it
//! takes.

mod client;
mod restarts;
mod site;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use crate::common::scratch::Scratch;
use client::{Client, Said, command, refusal};
use rustix::process::Signal;
use site::{Fault, SECRET, SHAPES, Shape, Site, USER, reply};

/// The results of the matches as the client printed them.
fn results(said: &Said) -> usize {
    let results = |line: &&str| line.contains(": won ") || line.contains(": lost ");
    said.stdout.lines().filter(results).count()
}

/// A page of some machine in between.
fn foreign() -> Fault {
    Fault::Before(reply(200, &format!("<html>{SECRET}</html>")))
}

fn redirect() -> Fault {
    let head = format!("HTTP/1.1 302 Found\r\nLocation: http://example.org/api/{USER}/{SECRET}/localai");
    Fault::Before(head + "\r\nContent-Length: 0\r\n\r\n")
}

/// Requests and results of matches that the client does not know.
const STRANGERS: &str = "2 2\r\nffff01\r\n4 4 5 5 4 4\r\nffff02\r\nwhat is this?\r\n\
                         ffff03 0 2 2 0\r\nffff04 1 0\r\n";

/// A match of each shape, first and second on 8x8 and second on 10x10.
fn add_all(site: &Site) {
    for shape in SHAPES {
        for (board, slot) in [(8, 0), (8, 1), (10, 1)] {
            site.add(shape, board, slot);
        }
    }
}

#[test]
fn the_engine_plays_more_matches_than_it_has_trees_and_thinks_on_the_opponents_time_if_told_to() {
    for ponder in [true, false] {
        let site = Site::open();
        site.state().opponent = Duration::from_millis(30);
        for shape in SHAPES {
            site.add(shape, 8, 0);
        }
        site.add(Shape::Bare, 10, 1);
        let mut arguments = vec!["--player", "quiver", "--no-book", "--playouts", "1", "--matches", "3"];
        arguments.extend(ponder.then_some("--ponder"));
        let said = Client::start(&site, "engine", &arguments).finish(&site);
        // Against a random player the engine does not lose.
        assert!(said.stdout.contains("finished: 4 won, 0 lost\n"), "{}", said.stdout);
        let (mut trees, mut pondered) = (BTreeMap::new(), false);
        for turn in said.log.lines().filter(|line| line.contains(" > match ")) {
            let number = |end: &str| -> u64 {
                let before = turn.split_once(end).map_or("0", |(before, _)| before);
                before.rsplit([' ', '(']).next().unwrap().parse().unwrap()
            };
            let (playouts, reused) = (number(" playout"), number(" reused"));
            // Pondering cuts no answer short; later the end of the game does.
            assert!(playouts == 1 || number(",") > 4, "{turn}");
            // More visits than the tree had after the answer before, although the opponent's moves are random.
            let before = trees.insert(turn.split(' ').nth(3), playouts + reused);
            pondered |= reused > before.unwrap_or(0);
        }
        assert_eq!(pondered, ponder, "{}", said.log);
    }
}

#[test]
fn whole_matches_of_every_shape_outlive_every_fault_of_the_site() {
    let site = Site::open();
    add_all(&site);
    let faults = [
        Fault::Before(reply(502, "<html>Bad Gateway</html>")),
        Fault::After(reply(504, "gateway")),
        Fault::Before(reply(500, &"oops".repeat(2000))),
        Fault::Before(reply(503, "维护中")),
        Fault::Before(reply(429, "")),
        // The connection ends, also in the middle of the head of the reply.
        Fault::Before(String::new()),
        Fault::After(String::new()),
        Fault::After(String::from("HTTP/1.1 200 OK\r\nContent-Le")),
        // The body ends early: by the length announced, or by its own first line.
        Fault::After(reply(200, "0 1\r\n").replace("Length: 5", "Length: 50")),
        Fault::After(reply(200, "1 0\r\n")),
        Fault::Drip,
        // The answers are lost on the way, and the requests come again later.
        Fault::Before(reply(200, "0 0\r\n")),
        Fault::After(reply(200, STRANGERS)),
        foreign(),
        redirect(),
        Fault::Before(reply(404, "no such page")),
        Fault::After(reply(502, "")),
    ];
    // After the first contact, each twice with peace in between.
    let peaceful = |fault: Fault| [Fault::Drip, fault];
    site.fail(faults.iter().cloned().flat_map(peaceful));
    site.fail(faults);
    let said = Client::start(&site, "faults", &[]).finish(&site);
    // A result is counted once, however often it is told.
    assert_eq!(results(&said), 9 + 1, "{}", said.stdout);
    for expected in [
        "the site answers 502: <html>Bad Gateway</html>; again in 0.02 s",
        "the site answers 504: gateway; again in 0.02 s",
        &format!("the site answers 500: {}…; again in 0.03 s", "oops".repeat(50)),
        "the site answers 503: 维护中; again in 0.03 s",
        "the site answers 429: without a word; again in 0.03 s",
        "the site's message cannot be read: ",
        "no reply: ",
        "the site's message cannot be read: the body has",
        "the same request again, its answer stays",
        "match ffff01: left unanswered: a match that is not known here",
        "match ffff02: left unanswered: 'what is this?' is no request",
        "this is not the site speaking: the body begins with '<html>***</html>'",
        "a redirection (302), which is not followed",
        "this is not the site speaking: the site answers 404: no such page; again in 0.03 s",
        "the site answers again after 1 failure",
    ] {
        assert!(said.stderr.contains(expected), "{expected}: {}", said.stderr);
    }
    assert!(said.stdout.contains("match ffff03: won 2-0 as the first player\nmatch ffff04: aborted\n"));
    let last = said.stdout.lines().last().unwrap();
    assert!(last.starts_with("finished: ") && last.ends_with(", 1 aborted"), "{last}");
    assert!(said.log.contains(" < match 5f0001: asked -1 -1 -1 -1 -1 -1"), "{}", said.log);
    assert!(said.log.contains(" > match 5f0001: turn 1, "), "{}", said.log);
    assert!(!said.stderr.contains("example.org"), "{}", said.stderr);
}

#[test]
fn a_poll_without_news_is_given_up_and_made_again() {
    let site = Site::open();
    site.add(Shape::Bare, 8, 0);
    site.fail([Fault::Silence, Fault::Drip, Fault::Silence, Fault::Drip, Fault::Silence]);
    let said = Client::start(&site, "silence", &["--poll-timeout", "0.2"]).finish(&site);
    assert_eq!(results(&said), 1);
    assert!(!said.stderr.contains("again in"), "{}", said.stderr);
}

#[test]
fn a_refused_account_and_a_refused_call_end_with_what_the_site_said() {
    let site = Site::open();
    let mut wrong = command(&site, &[]);
    wrong.env("QUIVER_BOTZONE_SECRET", "Wr0ngSecret");
    let message = refusal(wrong, 1);
    assert!(message.contains("(401: no such account: /api/5f00ba4/***/localai)"), "{message}");
    assert!(message.contains("本地AI") && !message.contains("Wr0ngSecret"), "{message}");
    for (fault, expected) in [
        (Fault::Before(reply(400, &format!("X is none of {SECRET}"))), "(400: X is none of ***)"),
        (redirect(), "a redirection (302)"),
        (foreign(), "this is not the site speaking"),
        (Fault::Before(reply(404, " no such\n page\u{7}")), "the site answers 404: no such page\\u{7}"),
    ] {
        site.fail([fault]);
        let message = refusal(command(&site, &[]), 1);
        assert!(message.contains(expected), "{message}");
    }
}

fn without_account(site: &Site, arguments: &[&str]) -> Command {
    let mut command = command(site, arguments);
    command.env_remove("QUIVER_BOTZONE_USER").env_remove("QUIVER_BOTZONE_SECRET");
    command
}

#[test]
fn accounts_come_from_the_environment_or_a_safe_file_and_bad_ones_are_not_repeated() {
    let site = Site::open();
    let mut boardless = command(&site, &[]);
    boardless.env_remove("QUIVER_BOARD");
    let mut broken = without_account(&site, &[]);
    broken.env("QUIVER_BOTZONE_URL", format!("https://host/{SECRET}"));
    let scratch = Scratch::new("credentials");
    let file = scratch.file("account", format!("user={USER}\nsecret={SECRET}\n"));
    let with_file = ["--credentials", &file];
    for (command, expected) in [
        (without_account(&site, &[]), "no account: expected QUIVER_BOTZONE_URL"),
        (boardless, "--board 8, which Botzone's live site plays, or --board 10, which its page describes"),
        (broken, "the environment: the address is not one of 本地AI"),
        (command(&site, &["--base-url", "http://example.org"]), "is not https"),
        (command(&site, &["--matches", "100"]), "--memory: 67108864 bytes for 100 engines"),
    ] {
        let message = refusal(command, 2);
        assert!(message.contains(expected), "{message}");
    }
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let message = refusal(without_account(&site, &with_file), 2);
        assert!(
            message.contains(&format!("(mode {mode:o}), and a secret must not be: chmod 600")),
            "{message}"
        );
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    site.add(Shape::Text, 8, 1);
    let said = Client::start(&site, "file", &with_file).finish(&site);
    assert_eq!(results(&said), 1);
}

#[test]
fn matches_are_started_played_and_counted() {
    let site = Site::open();
    let arguments =
        ["--run", "b07", "--games", "5", "--matches", "2", "--simple-io", "true", "--time-limit", "6"];
    let said = Client::start(&site, "run", &arguments).end();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let started = said.stdout.matches("started against b07").count();
    assert_eq!((results(&said), started), (5, 5), "{}", said.stdout);
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
    let said = Client::start(&site, "run", &arguments).end();
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let refused =
        "no match against bad: the site refuses this call (400: no bot bad under /api/5f00ba4/***/)";
    assert!(said.stderr.contains(refused), "{}", said.stderr);
    assert!(said.stdout.contains("1 not started") && results(&said) == 1, "{}", said.stdout);
    assert_eq!(site.state().started.last().unwrap()["X-Initdata"], "{}");
}

#[test]
fn matches_are_ended_on_request() {
    let site = Site::open();
    let id = site.add(Shape::Text, 8, 0);
    let said = Client::start(&site, "abort", &["--abort", &id]).end();
    assert_eq!((said.code, said.stdout), (Some(0), format!("match {id}: ended on request\n")));
    // The account as the site shows it.
    let mut by_address = without_account(&site, &["--abort", &id]);
    by_address.env_remove("QUIVER_BOARD");
    by_address.env("QUIVER_BOTZONE_URL", format!("https://www.botzone.org.cn/api/{USER}/{SECRET}/localai"));
    assert_eq!(by_address.output().unwrap().status.code(), Some(0));
    let said = Client::start(&site, "abort", &["--abort", "5fffff"]).end();
    assert_eq!(said.code, Some(1));
    let refused = "match 5fffff: not ended: the site refuses this call (400: no such match)";
    assert!(said.stderr.contains(refused), "{}", said.stderr);
}

fn searching(site: &Site, id: &str, name: &str, arguments: &[&str]) -> Client {
    let mut client = Client::start(site, name, &[&["--player", "quiver", "--no-book"], arguments].concat());
    client.wait_for(2, &format!("match {id}: asked"));
    client
}

#[test]
fn an_answer_that_is_under_way_is_delivered_before_the_end() {
    let site = Site::open();
    let id = site.add(Shape::Text, 8, 0);
    let client = searching(&site, &id, "under-way", &["--time", "1", "--grace", "600"]);
    let said = client.stop();
    assert!(said.stderr.contains("stopping: 1 answer to finish and deliver first"), "{}", said.stderr);
    assert_eq!(site.state().games[&id].answers(), 1);
    assert_eq!(site.state().complaints, Vec::<String>::new());
}

#[test]
fn a_second_signal_or_the_end_of_grace_leaves_at_once() {
    let site = Site::open();
    let id = site.add(Shape::Text, 8, 0);
    let mut client = searching(&site, &id, "at-once", &["--time", "3600", "--grace", "3600"]);
    client.signal(Signal::INT);
    client.wait_for(1, "stopping: 1 answer ");
    client.signal(Signal::INT);
    assert_eq!(client.end().code, Some(130));
    let said = searching(&site, &id, "grace", &["--time", "3600", "--grace", "0.1"]).stop();
    let stopped = "0 answers sent but not confirmed and 1 request not answered";
    assert!(said.stderr.contains(stopped), "{}", said.stderr);
    assert_eq!(site.state().games[&id].answers(), 0);
}

#[test]
fn a_match_is_not_asked_for_again_once_the_user_stops() {
    let site = Site::open();
    let mut client = Client::start(&site, "no-match", &["--run", "down", "--retry-wait", "3600"]);
    client.wait_for(1, "again in 3600 s");
    client.signal(Signal::INT);
    let said = client.end();
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stderr.contains("no match against down: the site answers 502"), "{}", said.stderr);
    assert_eq!(site.state().started.len(), 1);
}

#[test]
fn a_client_with_nothing_to_do_stops_at_once_even_if_the_site_is_gone() {
    let site = Site::open();
    let mut client = Client::start(&site, "idle", &["--retry-wait", "3600"]);
    client.wait_for(1, "is ready");
    client.stop();
    site.fail([Fault::Silence]);
    let mut client = Client::start(&site, "idle", &["--poll-timeout", "3600"]);
    // The client listens for Ctrl-C before it prints this line. The last poll of the first client may
    // reach the site late and take the fault.
    client.wait_for(1, "is ready");
    client.wait_at(&site, |state| state.faults.is_empty());
    client.stop();
    let mut client =
        Client::start(&site, "gone", &["--base-url", "http://127.0.0.1:1", "--retry-wait", "3600"]);
    client.wait_for(1, "again in 3600 s");
    client.stop();
}
