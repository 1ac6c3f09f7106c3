//! Tests the program `dependent-gui`. Each session runs the program in a new process.

use std::io::Write;
use std::process::{Command, Stdio};

const KERNELS: [&str; 3] = ["portable", "avx2", "avx512"];

fn session(side: &str, threads: &str, kernel: &str, commands: &[&str]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_dependent-gui"))
        .args([side, threads])
        .env("QUIVER_KERNEL", kernel)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(commands.join("\n").as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{side}x{side} by {kernel} kernel: {}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Without optimisation, stack frames of the evaluation kernels once took two megabytes.
#[test]
fn searches_in_one_megabyte_of_stack() {
    for side in ["8", "10"] {
        let one = KERNELS.map(|kernel| session(side, "1", kernel, &["analyse 60", "result"]));
        assert!(one[0][1].contains(" after 60 playouts: "), "{one:?}");
        assert!(one.iter().all(|lines| *lines == one[0]), "{one:?}");
        for kernel in KERNELS {
            let two = session(side, "2", kernel, &["analyse 60", "result"]);
            assert!(two[1].contains(" after 60 playouts: "), "{two:?}");
        }
    }
}

#[test]
fn stops_a_search_from_another_thread() {
    let lines = session("10", "2", "portable", &["analyse forever", "stop"]);
    assert!(lines[1].contains(" playouts: "), "{lines:?}");
}

#[test]
fn tells_errors_by_kind() {
    let commands = ["play z9", "play j1-a1/a1", "play a1-a2/a3", "play c1-c8/c7", "play c1-d3/c1"];
    let lines = session("8", "1", "portable", &commands);
    assert!(lines[0].starts_with("error: not a move: "), "{lines:?}");
    let expected = [
        "error: no square [j1]",
        "error: no amazon of the first player on [a1]",
        "error: the way is closed by an amazon of the second player on [c8]",
        "error: no line leads to [d3]",
    ];
    assert_eq!(lines[1..], expected);
    let lines = session("8", "1", "portable", &["play c1-c7/g7", "result", "fly"]);
    assert_eq!(lines, ["second to move", "error: no search was started", "error: no command 'fly'"]);
}
