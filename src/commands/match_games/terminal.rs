//! The output of a match on the terminal: progress bar, games, final report and hint how to resume.

use std::io::{self, Write as _};

use anyhow::{bail, ensure};
use indicatif::{HumanDuration, ProgressBar};

use super::args::Args;
use crate::commands::{Failed, message, print_result, progress_bar};
use crate::contest::{ContestError, ContestResults, GameRecord, GameSink, summary};
use crate::messages::{counted, printable};
use crate::words::Language;

pub(super) struct Terminal<'a> {
    args: &'a Args,
    total: usize,
    bar: ProgressBar,
}

impl GameSink for Terminal<'_> {
    fn begin(&mut self, games: &[GameRecord], results: &mut ContestResults) {
        self.advance(games.len(), results);
        self.bar.reset_eta();
        if !games.is_empty() {
            let total = counted(self.total, "game", "games");
            // An error is ignored here: printing the next game then fails too and ends the match.
            let _ = self.print_line(&format!("Resumed after {} of {total}.", games.len()));
        }
    }

    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError> {
        self.advance(1, results);
        let (done, every) = (results.games, self.args.report);
        let mut text = summary::game_line(game, done, self.total);
        if let Some(ladder_rating) = results.ladder_rating() {
            text += &format!("; {}", ladder_rating.rating(Language::English));
        } else if done.is_multiple_of(every) && done < self.total as u64 {
            let two = results.entrants.len() == 2;
            let report = if two { summary::standings(results) } else { summary::report(results) };
            let left = HumanDuration(self.bar.eta());
            text += &format!("\n{}\nTime left: about {left}", report.trim_end());
        }
        self.print_line(&text)?;
        // The request and standard error of a failed turn are printed only for a player's first
        // fault of each kind. The record of the match contains both for all faults.
        let end = game.end();
        let losses = &results.entrants[game.players[(!end.winner).index()].entrant].losses;
        if let Some(evidence) = summary::fault_report(game).filter(|_| losses.get(&end.kind) == Some(&1)) {
            // The match goes on even if standard error is closed.
            let _ = self.bar.suspend(|| writeln!(io::stderr(), "{}", printable(&evidence)));
        }
        Ok(())
    }
}

impl<'a> Terminal<'a> {
    pub(super) fn new(args: &'a Args, total: usize) -> Terminal<'a> {
        Terminal { args, total, bar: progress_bar(total, 0) }
    }

    /// Prints the final report. Returns an error if a player was at fault, or if an interrupt or
    /// the error in `played` ended the match early.
    pub(super) fn finish(
        &self,
        results: &ContestResults,
        played: anyhow::Result<()>,
        interrupted: bool,
    ) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        let printed = self.print(results);
        let games = counted(results.games, "game", "games");
        let unfinished = interrupted && results.games < self.total as u64 && !results.all_tests_decided();
        let cut_short = match played {
            Err(error) => Some(format!("ended after {games}: {}", message(&error))),
            Ok(()) => unfinished.then(|| format!("interrupted after {games}")),
        };
        if let Some(end) = cut_short {
            bail!(Failed(end + &resume_hint(self.args)));
        }
        let (faults, culprits) = (results.faults, summary::fault_counts(results));
        ensure!(faults == 0, Failed(format!("{faults} of {games} ended by a fault: {culprits}")));
        printed
    }

    fn print(&self, results: &ContestResults) -> anyhow::Result<()> {
        if results.games > 0 {
            self.print_line("")?;
        }
        match results.ladder_rating() {
            Some(ladder_rating) => {
                print_result(self.args.json, &ladder_rating, || ladder_rating.report(Language::English))
            }
            None => print_result(self.args.json, results, || summary::report(results)),
        }
    }

    fn advance(&self, games: usize, results: &ContestResults) {
        self.bar.inc(games as u64);
        if results.entrants.len() == 2 {
            self.bar.set_message(summary::score_line(results));
        }
    }

    fn print_line(&self, text: &str) -> io::Result<()> {
        if self.args.json {
            return Ok(());
        }
        self.bar.suspend(|| writeln!(io::stdout().lock(), "{}", printable(text)))
    }
}

/// The hint on how to resume an unfinished match: the same command with `--resume`. If only the
/// variable `QUIVER_BOARD` sets the board, the hint also has `--board`.
fn resume_hint(args: &Args) -> String {
    if args.record.is_none() {
        let hint = "; without --record the match cannot be resumed";
        return if args.ladder.is_some() { String::new() } else { hint.to_owned() };
    }
    // A file name that is invalid UTF-8 is shown approximately.
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let board = args.board.is_set_by_user().then(|| ("--board", Some(args.board.board.to_string())));
    for (name, value) in board.into_iter().chain([("--resume", None)]) {
        if !words.iter().any(|word| word.split('=').next() == Some(name)) {
            words.extend([name.to_owned()].into_iter().chain(value));
        }
    }
    format!("; resume it with:\n{}", shell_words::join(&words))
}
