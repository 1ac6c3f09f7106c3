//! One side of a match, driven as the judge drives it.

use quiver::game::{Coordinates, FullMove};

use crate::common::judge::{self, Form, KEEP_RUNNING, history, read_move};
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
        let full = if self.keeps {
            let start = || judge::Bot::start(quiver(&self.arguments.split(' ').collect::<Vec<_>>()));
            self.kept.get_or_insert_with(start).turn(&self.entries, self.form)
        } else {
            self.single_turn()
        };
        self.entries.push(full.into());
        full
    }

    /// Checks that a new process finds no move after this request, or no room on the board for its turn.
    pub(crate) fn loses(&mut self, request: Coordinates) {
        self.entries.push(request);
        let Run { code, err, .. } = self.single_run();
        let reasons = [" player has no move left: expected ", " turns: expected 1 to "];
        assert!(code == Some(2) && reasons.iter().any(|reason| err.contains(reason)), "{err}");
    }

    fn single_run(&self) -> Run {
        let arguments: Vec<&str> = self.arguments.split(' ').chain(["--no-keep-running"]).collect();
        let request = history(&self.entries, self.form) + "\n";
        run_on(quiver(&arguments), request.as_bytes(), true)
    }

    fn single_turn(&self) -> FullMove {
        let Run { code, out, err } = self.single_run();
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert!(out.ends_with('\n') && !out.contains(KEEP_RUNNING), "{out}");
        read_move(&out.lines().map(str::to_owned).collect::<Vec<_>>(), self.form)
    }
}
