//! Runs sessions in tests, and compares what they write with transcripts.

use std::io;
use std::mem::take;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Output, Session, converse};

/// Gives the input to the session that `begin` creates. Returns all text that the session writes.
pub(super) fn session_output<S: Session>(input: &[u8], begin: impl FnOnce(Output) -> S) -> String {
    let answers = Arc::<Mutex<Vec<u8>>>::default();
    converse(input, &mut begin(answers.clone())).unwrap();
    String::from_utf8(answers.lock().clone()).unwrap()
}

/// Checks that sessions write what a transcript says. In a transcript, a line `# title` begins a
/// session, a line `< text` is sent to it, and a line `<` ends its input. All other lines are
/// expected answers. `send` sends a line to the session. For each line that a session writes,
/// `shown` returns the text that the transcript must contain, or `None` to leave the line out.
pub(super) fn assert_transcript<S: Session>(
    transcript: &str,
    begin: impl Fn(Output) -> S,
    send: impl Fn(&mut S, &[u8]) -> io::Result<bool>,
    shown: impl Fn(&str) -> Option<String>,
) {
    let answers = Arc::<Mutex<Vec<u8>>>::default();
    let (mut repeated, mut session, mut goes_on) = (String::new(), begin(answers.clone()), false);
    for line in transcript.lines() {
        if line.starts_with("# ") {
            (session, goes_on) = (begin(answers.clone()), true);
            if !repeated.is_empty() && !repeated.ends_with("\n\n") {
                repeated.push('\n');
            }
        } else if line == "<" {
            session.end_of_input().unwrap();
        } else if let Some(text) = line.strip_prefix("< ") {
            goes_on = goes_on && send(&mut session, text.as_bytes()).unwrap();
        } else {
            continue;
        }
        let lines = String::from_utf8(take(&mut *answers.lock())).unwrap();
        let lines = lines.lines().filter_map(&shown);
        repeated.extend([line.to_owned()].into_iter().chain(lines).map(|line| line + "\n"));
    }
    assert!(repeated.trim_end() == transcript.trim_end(), "the sessions have written:\n{repeated}");
}
