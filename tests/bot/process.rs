//! A bot process, driven as the judge drives it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::referee::Ply;

const MARKER: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// How requests are written and how long a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) json: bool,
    pub(crate) kept: bool,
}

/// The four ways of Botzone.
pub(crate) const WIRES: [Wire; 4] = [
    Wire { json: true, kept: false },
    Wire { json: true, kept: true },
    Wire { json: false, kept: false },
    Wire { json: false, kept: true },
];

/// A command line of the bot, in a process group of its own and away from the user's settings.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
    command.env_remove("QUIVER_BOARD").args(arguments).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a process on an input. With `open` the input does not end, so that a process which waits
/// for its end never ends itself.
pub(crate) fn run(arguments: &[&str], input: &[u8], open: bool) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take();
    if let Some(stdin) = &mut stdin {
        // A process that has read enough closes the pipe.
        let _ = stdin.write_all(input);
    }
    if !open {
        stdin = None;
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    output
}

/// One side of a match: its history, and its process while that lives.
pub(crate) struct Bot {
    wire: Wire,
    arguments: Vec<String>,
    requests: Vec<Ply>,
    responses: Vec<Ply>,
    kept: Option<Kept>,
}

impl Bot {
    pub(crate) fn new(wire: Wire, arguments: &str) -> Bot {
        let arguments = arguments.split_whitespace().map(str::to_owned).collect();
        Bot { wire, arguments, requests: Vec::new(), responses: Vec::new(), kept: None }
    }

    /// Kills the process; the next turn starts another with the full history.
    pub(crate) fn restart(&mut self) {
        self.kept = None;
    }

    /// Asks for a move.
    pub(crate) fn turn(&mut self, request: Ply) -> Ply {
        self.requests.push(request);
        let answer = if self.wire.kept { self.kept_turn(request) } else { self.single_turn() };
        self.responses.push(answer);
        answer
    }

    fn single_turn(&self) -> Ply {
        let mut arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        arguments.push("--no-keep-running");
        let output = run(&arguments, self.history().as_bytes(), true);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && errors.is_empty(), "{}: {errors}", output.status);
        let text = String::from_utf8(output.stdout).unwrap();
        let (answer, rest) = self.wire.read(&text);
        assert_eq!(rest, "", "{text}");
        answer
    }

    fn kept_turn(&mut self, request: Ply) -> Ply {
        let input = match self.kept {
            None => self.history(),
            // A blank line between, as the judge may send.
            Some(_) => format!("\n{}\n", self.wire.write(request)),
        };
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let kept = self.kept.get_or_insert_with(|| Kept::start(&arguments));
        let text = kept.turn(&input);
        let (answer, rest) = self.wire.read(&text);
        assert_eq!(rest, format!("{MARKER}\n"), "{text}");
        answer
    }

    fn history(&self) -> String {
        let list =
            |plies: &[Ply]| plies.iter().map(|&ply| self.wire.write(ply)).collect::<Vec<_>>().join(",");
        if self.wire.json {
            let (requests, responses) = (list(&self.requests), list(&self.responses));
            return format!(
                "{{\"data\":\"\",\"requests\":[{requests}],\"time_limit\":\"1000\",\"responses\":[{responses}]}}\n"
            );
        }
        let mut text = format!("{}\n", self.requests.len());
        for (turn, &request) in self.requests.iter().enumerate() {
            let response = self.responses.get(turn).map(|&ply| self.wire.write(ply) + "\n");
            text += &format!("{}\n{}", self.wire.write(request), response.unwrap_or_default());
        }
        // An empty line of stored data.
        text + "\n\n"
    }
}

impl Wire {
    fn write(self, ply: Ply) -> String {
        let [x0, y0, x1, y1, x2, y2] = ply;
        if self.json {
            // In the judge's own order.
            format!("{{\"x0\":{x0},\"x1\":{x1},\"x2\":{x2},\"y0\":{y0},\"y1\":{y1},\"y2\":{y2}}}")
        } else {
            format!("{x0} {y0} {x1} {y1} {x2} {y2}")
        }
    }

    /// Reads an answer as strictly as can be; gives what comes after it.
    fn read(self, text: &str) -> (Ply, &str) {
        let (line, rest) = text.split_once('\n').unwrap();
        if self.json {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let response = &value["response"];
            let ply = ["x0", "y0", "x1", "y1", "x2", "y2"].map(|name| response[name].as_i64().unwrap());
            assert!(value["debug"].as_str().unwrap().len() < 1000);
            (ply, rest)
        } else {
            let numbers: Vec<i64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let (debug, rest) = rest.split_once('\n').unwrap();
            assert!(debug.len() < 1000);
            (numbers.try_into().unwrap(), rest)
        }
    }
}

/// A process that lives from turn to turn, stopped in between.
struct Kept {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Kept {
    fn start(arguments: &[&str]) -> Kept {
        let mut child = command(arguments).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Kept { child, output }
    }

    fn signal(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.child), signal).unwrap();
    }

    fn turn(&mut self, input: &str) -> String {
        self.child.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
        self.signal(Signal::CONT);
        let mut text = String::new();
        while !text.ends_with(&format!("{MARKER}\n")) {
            if self.output.read_line(&mut text).unwrap() == 0 {
                let mut errors = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
                panic!("the bot ended: {errors}");
            }
        }
        self.signal(Signal::STOP);
        text
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // It may have ended already; a stopped process can be killed too.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
