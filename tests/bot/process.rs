//! One side of a match, driven as the judge drives it.

use quiver::game::{Coordinates, FullMove};
use rustix::process::Signal;

use crate::common::judge::{self, Form, KEEP_RUNNING, history, read_move, written};
use crate::common::program::{Run, quiver, run_on};

pub(crate) const FORMS: [Form; 2] = [Form::Json, Form::Text];

/// A bot in a match, and its process while that lives.
pub(crate) struct Bot {
    form: Form,
    /// True if its process is kept from turn to turn.
    keeps: bool,
    arguments: String,
    /// Request, response, request and so on.
    entries: Vec<Coordinates>,
    kept: Option<judge::Bot>,
}

impl Bot {
    pub(crate) fn new(form: Form, keeps: bool, arguments: &str) -> Bot {
        Bot { form, keeps, arguments: arguments.to_owned(), entries: Vec::new(), kept: None }
    }

    /// Kills the process; the next turn starts another with the full history.
    pub(crate) fn restart(&mut self) {
        self.kept = None;
    }

    pub(crate) fn turn(&mut self, request: Coordinates) -> FullMove {
        self.entries.push(request);
        let lines = if self.keeps { self.kept_turn(request) } else { self.single_turn() };
        let answer = read_move(&lines, self.form);
        self.entries.push(answer.into());
        answer
    }

    fn single_turn(&self) -> Vec<String> {
        let arguments: Vec<&str> = self.arguments.split(' ').chain(["--no-keep-running"]).collect();
        let Run { code, out, err } = run_on(quiver(&arguments), self.history().as_bytes(), true);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert!(out.ends_with('\n') && !out.contains(KEEP_RUNNING), "{out}");
        out.lines().map(str::to_owned).collect()
    }

    fn kept_turn(&mut self, request: Coordinates) -> Vec<String> {
        let input = match self.kept {
            None => self.history(),
            // A blank line between, as the judge may send.
            Some(_) => format!("\n{}\n", written(request, self.form)),
        };
        let start = || judge::Bot::start(quiver(&self.arguments.split(' ').collect::<Vec<_>>()));
        let kept = self.kept.get_or_insert_with(start);
        kept.send(&input);
        kept.signal(Signal::CONT);
        let answer = kept.answer();
        kept.signal(Signal::STOP);
        answer
    }

    fn history(&self) -> String {
        let history = history(&self.entries, self.form);
        match self.form {
            // With an empty line of stored data.
            Form::Text => history + "\n\n\n",
            Form::Json => history.replacen('{', r#"{"data":"","time_limit":"1000","#, 1) + "\n",
        }
    }
}
