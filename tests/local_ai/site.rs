//! A site in the test's own process: the documented protocol over HTTP/1.1 on loopback, matches
//! that the rules of [`quiver::amazons`] referee, and every fault that a real one is known for.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use quiver::amazons::{Coordinates, InputError, Position, Size, Start};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::common::judge::{Form, history, written};

pub(crate) const USER: &str = "5f00ba4";
pub(crate) const SECRET: &str = "TopS3cretWord";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Bare,
    Full,
}

pub(crate) const SHAPES: [Shape; 3] = [Shape::Text, Shape::Bare, Shape::Full];

#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// These bytes, and nothing is taken.
    Before(String),
    /// The answers are taken, and these bytes are the reply.
    After(String),
    /// Nothing is taken or said until the client gives up.
    Silence,
    /// The beginning of the body a byte at a time.
    Drip,
}

/// A match between the client and an opponent that plays at random.
pub(crate) struct Game {
    shape: Shape,
    slot: usize,
    entries: Vec<Coordinates>,
    position: Position,
    rng: Xoshiro256PlusPlus,
    reported: bool,
    aborted: bool,
}

impl Game {
    fn new(shape: Shape, board: usize, slot: usize, seed: u64) -> Game {
        let position = Start::Formula.position(Size::square(board).unwrap()).unwrap();
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let entries = if slot == 0 { vec![Coordinates::NONE] } else { Vec::new() };
        let mut game = Game { shape, slot, entries, position, rng, reported: false, aborted: false };
        if slot == 1 {
            game.reply();
        }
        game
    }

    /// The number of moves that the client has made.
    pub(crate) fn answers(&self) -> usize {
        self.entries.len() / 2
    }

    fn reply(&mut self) {
        if let Some(full) = self.position.random_full_move(&mut self.rng) {
            self.position = self.position.play(full).unwrap();
            self.entries.push(full.into());
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.aborted || self.position.winner().is_some()
    }

    fn awaits(&self) -> bool {
        !self.is_over() && self.entries.len() % 2 == 1
    }

    fn request(&self) -> String {
        let last = *self.entries.last().unwrap();
        match self.shape {
            Shape::Text => written(last, Form::Text),
            Shape::Bare => written(last, Form::Json),
            Shape::Full => history(&self.entries, Form::Json),
        }
    }

    fn result(&self, id: &str) -> String {
        if self.aborted {
            return format!("{id} {} 0", self.slot);
        }
        let winner = self.position.winner().unwrap().index();
        format!("{id} {} 2 {} {}", self.slot, 2 * (1 - winner), 2 * winner)
    }

    fn answer(&mut self, text: &str) -> Result<(), String> {
        let ply: Coordinates = match self.shape {
            Shape::Text => text.parse().map_err(|error: InputError| error.to_string())?,
            _ => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        let ours = self.entries.iter().skip(1).step_by(2).next_back();
        if ours == Some(&ply) {
            return Ok(());
        }
        if !self.awaits() {
            return Err(format!("{text}: an answer that nobody asked for, and not the last one: {ours:?}"));
        }
        let full = ply.full_move().ok_or(format!("{text}: no move"))?;
        self.position = self.position.play(full).map_err(|error| format!("{text}: {error}"))?;
        self.entries.push(ply);
        Ok(())
    }
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) games: BTreeMap<String, Game>,
    pub(crate) faults: VecDeque<Fault>,
    pub(crate) complaints: Vec<String>,
    /// The headers of every match that was started.
    pub(crate) started: Vec<BTreeMap<String, String>>,
    pub(crate) aborts: Vec<String>,
    /// How long the opponents take.
    pub(crate) opponent: Duration,
}

/// The site. Its threads end with the test program.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Site {
    pub(crate) fn open() -> Site {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let site = Site { port: listener.local_addr().unwrap().port(), state: Arc::default() };
        let shared = site.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (site, stream) = (shared.clone(), stream.unwrap());
                // A client that is killed in the middle of a reply is part of the game.
                thread::spawn(move || drop(site.serve(&stream)));
            }
        });
        site
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Waits until all connections of a killed client are served: on a busy machine its last answer may
    /// else come after those of the next client.
    pub(crate) fn wait_until_idle(&self) {
        // Beside the threads of connections, the test and the listener hold the state.
        while Arc::strong_count(&self.state) > 2 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn add(&self, shape: Shape, board: usize, slot: usize) -> String {
        let mut state = self.state();
        let number = state.games.len() + 1;
        let id = format!("5f{number:04x}");
        state.games.insert(id.clone(), Game::new(shape, board, slot, number as u64));
        id
    }

    pub(crate) fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state().faults.extend(faults);
    }

    fn serve(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let (mut reader, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let path = head.split(' ').nth(1).unwrap_or_default();
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let account = format!("/api/{USER}/{SECRET}/");
        let Some(call) = path.strip_prefix(&account) else {
            return stream.write_all(reply(401, &format!("no such account: {path}")).as_bytes());
        };
        let (status, body) = match call {
            "localai" => return self.poll(stream, &headers),
            "runmatch" => self.run(headers),
            "abortmatch" => {
                let mut state = self.state();
                let id = headers.get("X-Matchid").cloned().unwrap_or_default();
                let known = state.games.get_mut(&id).map(|game| game.aborted = true).is_some();
                state.aborts.push(id);
                if known { (200, String::from("ok")) } else { (400, String::from("no such match")) }
            }
            _ => (404, String::new()),
        };
        stream.write_all(reply(status, &body).as_bytes())
    }

    fn run(&self, headers: BTreeMap<String, String>) -> (u16, String) {
        let header = |name: &str| headers.get(name).map_or("", String::as_str);
        let slot = usize::from(header("X-Player-0") != "me");
        let [ours, bot] = [slot, 1 - slot].map(|slot| header(&format!("X-Player-{slot}")));
        if header("X-Game") != "Amazons" || ours != "me" || bot == "me" {
            return (400, String::from("bad match"));
        }
        if bot == "down" {
            self.state().started.push(headers);
            return (502, String::new());
        }
        if bot != "b07" {
            return (400, format!("no bot {bot} under /api/{USER}/{SECRET}/"));
        }
        let shape = if header("X-UseSimpleIO") == "true" { Shape::Text } else { Shape::Bare };
        self.state().started.push(headers);
        (200, self.add(shape, 8, slot))
    }

    fn poll(&self, mut stream: &TcpStream, headers: &BTreeMap<String, String>) -> std::io::Result<()> {
        let fault = self.state().faults.pop_front();
        match &fault {
            Some(Fault::Before(bytes)) => return stream.write_all(bytes.as_bytes()),
            Some(Fault::Silence) => return stream.read_to_end(&mut Vec::new()).map(drop),
            _ => {}
        }
        let opponent = self.state().opponent;
        self.take_answers(headers);
        thread::sleep(opponent);
        if let Some(Fault::After(bytes)) = &fault {
            return stream.write_all(bytes.as_bytes());
        }
        let reply = reply(200, &self.news());
        let slow = if matches!(fault, Some(Fault::Drip)) { reply.len().min(200) } else { 0 };
        let (slow, fast) = reply.as_bytes().split_at(slow);
        for byte in slow {
            stream.write_all(&[*byte])?;
            thread::sleep(Duration::from_millis(1));
        }
        stream.write_all(fast)
    }

    /// Takes the answers in the headers, and lets the opponents move.
    fn take_answers(&self, headers: &BTreeMap<String, String>) {
        let mut state = self.state();
        let State { games, complaints, .. } = &mut *state;
        for (name, answer) in headers {
            let Some(id) = name.strip_prefix("X-Match-") else { continue };
            let game = games.get_mut(id).ok_or_else(|| "an answer for no match".to_owned());
            let complaint = game.and_then(|game| game.answer(answer)).err();
            complaints.extend(complaint.map(|complaint| format!("{id}: {complaint}")));
        }
        let replying = games.values_mut().filter(|game| !game.is_over() && game.entries.len() % 2 == 0);
        replying.for_each(Game::reply);
    }

    /// The body, after a while if there is nothing to say. Sends unanswered requests with every poll.
    fn news(&self) -> String {
        let until = Instant::now() + Duration::from_millis(50);
        loop {
            let mut state = self.state();
            let (mut requests, mut results) = (Vec::new(), Vec::new());
            for (id, game) in &mut state.games {
                if game.awaits() {
                    requests.push(format!("{id}\r\n{}\r\n", game.request()));
                } else if game.is_over() && !game.reported {
                    results.push(format!("{}\r\n", game.result(id)));
                    game.reported = true;
                }
            }
            drop(state);
            let (m, n) = (requests.len(), results.len());
            if m + n > 0 || until <= Instant::now() {
                return format!("{m} {n}\r\n{}{}", requests.concat(), results.concat());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

pub(crate) fn reply(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}
