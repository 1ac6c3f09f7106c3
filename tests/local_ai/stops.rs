//! How the client ends.

use rustix::process::Signal;

use super::client::Client;
use super::site::{Fault, Shape, Site};

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
