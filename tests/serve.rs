//! Tests the server of `quiver serve` by HTTP: which requests it accepts and refuses, and that a
//! search ends when its client closes the connection. `tests/browser` tests the page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::program::{assert_contains, assert_fields, fails, inputs, quiver};
use serde_json::{Value, json};

struct Server {
    child: Child,
    address: String,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let usual = ["serve", "--port", "0", "--memory", "16M", "--concurrency", "1"];
        let mut child = quiver(&usual).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        Server { child, address }
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // The server may close the connection before it has read a long request.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    fn send(&self, request: &str) -> Answer {
        let mut answer = String::new();
        self.connect(request).read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&get(&self.address, path, "Connection: close\r\n"))
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        self.send(&self.request(path, body))
    }

    /// Starts a search of ten minutes. Returns its connection after the answer has begun.
    fn endless_search(&self) -> TcpStream {
        let mut stream =
            self.connect(&self.request("/api/analyze", r#"{"id":"a","overrideSettings":{"maxTime":600}}"#));
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
        stream
    }

    fn request(&self, path: &str, body: &str) -> String {
        let (host, length) = (&self.address, body.len());
        format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// The JSON objects in the body of the response, which may be chunked.
    fn lines(&self) -> Vec<Value> {
        let lines = self.body.lines().filter_map(|line| serde_json::from_str(line).ok());
        lines.filter(Value::is_object).collect()
    }

    fn refuses(&self, status: u16, field: &str) {
        let of = self.lines()[0]["field"].as_str().unwrap_or_default().to_owned();
        assert_eq!((self.status, &*of), (status, field), "{}", self.body);
    }
}

fn get(host: &str, path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n")
}

#[test]
fn page_loads_only_its_own_files() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("id=\"board\"") && !page.body.contains("=\"/"), "an address is relative");
    let policies = ["default-src 'none'", "frame-ancestors 'none'", "x-content-type-options: nosniff"];
    assert_contains(&page.head, &policies);
    // The server has every file that the page names, and no file names another site.
    let named = |text: &str, before: &str| -> Vec<String> {
        text.split(before).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let mut files = named(&page.body, "\"app/");
    let mut seen = 0;
    while let Some(file) = files.pop() {
        let asset = server.get(&format!("/app/{file}"));
        assert_eq!(asset.status, 200, "{file}");
        let addresses = asset.body.matches("://").count();
        assert_eq!(addresses, asset.body.matches("http://www.w3.org/2000/svg").count(), "{file}");
        if file == "main.js" {
            files.extend(named(&asset.body, "from \"./"));
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen} files");
    for file in ["/app/other.js", "/app/..%2f..%2fCargo.toml"] {
        assert_eq!(server.get(file).status, 404, "{file}");
    }
}

#[test]
fn refuses_foreign_hosts_and_origins() {
    let server = Server::start(&["--allow-host", "Box.lan"]);
    let (ours, evil, close) = ("localhost", "evil.example", "Connection: close\r\n");
    let visit =
        |host: &str, line: &str, headers: &str| server.send(&get(host, line, &(headers.to_owned() + close)));
    for host in "127.0.0.1:80 localhost LOCALHOST:8410 [::1]:8410 10.0.0.7:1 box.lan:8410".split(' ') {
        assert_eq!(visit(host, "/", "").status, 200, "{host}");
    }
    let foreign = " evil.example evil.example:8410 localhost.evil.example 127.0.0.1.evil [x] [::1]evil.com \
                   [::1]:evil.com [::1]:80@evil.com localhost:evil.com evil.com:80:80";
    for host in foreign.split(' ') {
        visit(host, "/", "").refuses(403, "host");
    }
    // A request may name hosts in its first line and in several headers. Each must be allowed.
    assert_eq!(visit(ours, "http://localhost/", "").status, 200);
    visit(ours, "http://evil.example/", "").refuses(403, "host");
    for (host, other) in [(ours, evil), (evil, ours)] {
        visit(host, "/", &format!("Host: {other}\r\n")).refuses(403, "host");
    }
    let (whole, json) = (server.request("/api/game", r#"{"game":{}}"#), "Content-Type: application/json");
    let ask = |headers: &str| server.send(&whole.replace(json, headers));
    let from = |origin: &str| ask(&format!("{json}; charset=utf-8\r\nOrigin: {origin}"));
    assert_eq!(from(&format!("http://{}", server.address)).status, 200);
    let by_name = format!("http://{}", server.address.replace("127.0.0.1", ours));
    let other_scheme = format!("ftp://{}", server.address);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:80", &by_name, &other_scheme, ""] {
        from(origin).refuses(403, "origin");
    }
    ask("Content-Type: text/plain").refuses(403, "content-type");
}

#[test]
fn new_client_replaces_idle_connection() {
    let server = Server::start(&["--board", "6"]);
    // The server must not close this connection, because a search runs on it.
    let mut search = server.endless_search();
    let halves = [
        "".to_owned(),
        "GET / HTTP/1.1\r\nHost: ".to_owned(),
        // The body is shorter than `Content-Length` says, so the server waits for the rest.
        server.request("/api/game", r#"{"game":{}}"#).replace("Content-Length: 11", "Content-Length: 20"),
        // The request is complete, but the client keeps the connection open after the answer.
        get(&server.address, "/", ""),
    ];
    let held: Vec<TcpStream> = (0..200).map(|number| server.connect(&halves[number % 4])).collect();
    assert_eq!(server.post("/api/game", r#"{"game":{}}"#).status, 200);
    drop(held);
    // While the server reads the long text of one client, it must answer other clients.
    let long = json!({"text": "b1-b4/b5 a5-a4/a3\n".repeat(180_000)}).to_string();
    let mut reading = server.connect(&server.request("/api/game", &long));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.post("/api/game", r#"{"game":{}}"#).status, 200);
    for (stream, what) in [(&mut search, "the search"), (&mut reading, "reading")] {
        stream.set_nonblocking(true).unwrap();
        let error = stream.read(&mut [0; 4096]).and_then(|_| stream.read(&mut [0; 4096])).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{what} goes on");
    }
}

#[test]
fn closes_refused_and_idle_connections() {
    let server = Server::start(&[]);
    let body = server.request("/api/game", "{").replace("Connection: close\r\n", "");
    let begun = [
        (get("evil.example", "/", ""), 403),
        (get(&server.address, "/", ""), 200),
        // The head of this request is incomplete, so the server sends no answer.
        ("GET / HTTP/1.1\r\n".to_owned(), 0),
        (body.replace("Content-Length: 1", "Content-Length: 9"), 408),
    ];
    // The connections time out in parallel.
    std::thread::scope(|scope| {
        for (request, status) in begun {
            let server = &server;
            scope.spawn(move || {
                let answer = server.send(&request);
                assert_eq!((answer.status, answer.head.is_empty()), (status, status == 0), "{request}");
            });
        }
    });
}

/// Sends invalid requests only. The tests in `tests/browser` send valid requests.
#[test]
fn errors_name_their_fields() {
    let server = Server::start(&["--board", "8"]);
    let mut told = String::new();
    for input in inputs(include_str!("snapshots/quiver__serve__errors.snap")) {
        let (question, body) = input.split_once(' ').unwrap();
        let answer = server.post(&format!("/api/{question}"), body);
        assert_eq!(answer.status, 400, "{body}");
        told += &format!("{input}\n{}\n\n", answer.lines()[0]);
    }
    insta::assert_snapshot!("errors", told);
    let long = format!(r#"{{"text":"{}"}}"#, " ".repeat(5 << 20));
    for path in ["/api/game", "/api/analyze"] {
        let answer = server.post(path, &long);
        answer.refuses(413, "");
        assert!(answer.body.contains("expected at most 4194304 bytes"), "{}", answer.body);
    }
    assert_eq!(server.post("/api/game", r#"{"game":{}}"#).status, 200);
}

#[test]
fn saved_game_keeps_date_and_end() {
    let server = Server::start(&["--board", "6"]);
    for (kind, result) in [("resignation", "RE[W+R]"), ("time", "RE[W+T]")] {
        let end = json!({"winner": "second", "kind": kind});
        let game = json!({"moves": ["b1-b4/b5"]});
        let save =
            json!({"game": game, "form": "sgf", "players": ["Ada", null], "date": "2026-11-28", "end": end});
        let saved = server.post("/api/save", &save.to_string()).lines().remove(0);
        let text = saved["text"].as_str().unwrap();
        assert!(text.contains("PB[Ada]DT[2026-11-28]") && text.contains(result), "{text}");
        let read = server.post("/api/game", &json!({"text": text}).to_string()).lines().remove(0);
        assert_fields(&read["result"], end);
        assert_eq!(read["date"], "2026-11-28");
    }
    // If the game is over by the rules, the server ignores the winner that the request names.
    let lost = json!({"winner": "second", "kind": "time"});
    let game = json!({"position": "Qq** b"});
    let save = json!({"game": game, "form": "sgf", "end": lost});
    let answer = server.post("/api/save", &save.to_string());
    assert!(answer.body.contains("RE[B+"), "{}", answer.body);
}

#[test]
fn chooses_one_of_several_games() {
    let server = Server::start(&["--board", "8"]);
    let text = "c1-c3/c5 a6-b6/b5\nc1-c3/c5\n";
    let ask = |number: Option<usize>| {
        server.post("/api/game", &json!({"text": text, "number": number}).to_string()).lines().remove(0)
    };
    let labels = ["1. moves: 2, board: 8x8", "2. moves: 1, board: 8x8"];
    assert_eq!(ask(None), json!({"games": labels}));
    assert_eq!(ask(Some(1))["moves"], json!(["c1-c3/c5"]));
}

#[test]
fn streams_search_within_time_limit() {
    let server = Server::start(&["--max-time", "0.3", "--board", "6"]);
    let started = Instant::now();
    let query =
        r#"{"id":"a","overrideSettings":{"maxTime":3600},"reportDuringSearchEvery":0.01,"territory":true}"#;
    let answer = server.post("/api/analyze", query);
    assert!(started.elapsed() < Duration::from_secs(20));
    let lines = answer.lines();
    let (last, before) = lines.split_last().unwrap();
    assert_fields(last, json!({"isDuringSearch": false, "stop": "time", "turnNumber": 0}));
    assert!(before.iter().all(|line| line["isDuringSearch"] == true));
    assert!((1..=6).contains(&before.len()), "{}", before.len());
    assert!(last["territory"]["queen"].is_object());
}

#[test]
fn ponders_between_queries() {
    let server = Server::start(&["--board", "6", "--ponder"]);
    let reused = || {
        let query = r#"{"id":"a","reuse":true,"maxVisits":10}"#;
        server.post("/api/analyze", query).lines().last().unwrap()["reused"].as_u64().unwrap()
    };
    // Each query adds at most ten visits to the tree. All further visits come from pondering.
    let queries = (0..100_000).find(|queries| reused() > 10 * queries + 1_000);
    assert!(queries.is_some(), "no visit came from pondering");
}

#[test]
fn searches_are_limited_and_end_with_their_readers() {
    let server = Server::start(&["--board", "6"]);
    let open: Vec<TcpStream> = (0..16).map(|_| server.endless_search()).collect();
    let answer = server.post("/api/analyze", r#"{"id":"b"}"#);
    assert_eq!(answer.status, 503, "{}", answer.body);
    drop(open);
    // The server needs some time to notice the closed connections.
    std::thread::sleep(Duration::from_millis(200));
    let answer = server.post("/api/analyze", r#"{"id":"c","maxVisits":5}"#);
    assert_eq!(answer.lines().last().unwrap()["stop"], "playouts", "{}", answer.body);
}

#[test]
fn rejects_used_port() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().unwrap();
    fails(1, quiver(&["serve", "--port", port]), "choose another with --port");
}
