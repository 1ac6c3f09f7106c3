//! Takes each finished game: counts, records, logs and shows it.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use indicatif::ProgressBar;

use crate::commands::Failed;
use crate::contest::{
    ContestResults, DecidedPairings, Fixture, GameRecord, Record, RunningSprt, match_log, summary,
};
use crate::files;
use crate::messages::{counted, printable};

/// Takes games in as they end.
pub(super) struct Stage<'a> {
    pub(super) names: &'a [String],
    pub(super) total: usize,
    pub(super) results: ContestResults,
    /// The sequential tests: none, that of a match, or one for each pairing of a gauntlet.
    pub(super) tests: Vec<RunningSprt>,
    /// The pairings whose tests have a verdict.
    pub(super) pairings: Arc<DecidedPairings>,
    pub(super) record: Option<Record>,
    pub(super) botzone_log: Option<&'a Path>,
    /// Games between summaries.
    pub(super) every: u64,
    /// Whether standard output gets only the final report.
    pub(super) quiet: bool,
    pub(super) bar: ProgressBar,
    /// The page that shows the contest, if the user asked for one.
    #[cfg(feature = "serve")]
    pub(super) show: Option<&'a super::show::Show>,
}

/// Checks that the directory holds no log yet of a game to play: it would be of another match.
pub(super) fn refuse_logs(
    directory: &Path,
    fixtures: &[Fixture],
    done: &BTreeSet<usize>,
) -> anyhow::Result<()> {
    let to_play = fixtures.iter().filter(|fixture| !done.contains(&fixture.game));
    match to_play.map(|fixture| log_path(directory, fixture.game)).find(|path| path.exists()) {
        Some(path) => bail!("{} exists: expected a directory without games of another match", path.display()),
        None => Ok(()),
    }
}

/// Makes the directory of logs, and the missing logs of games that an earlier run played: it may
/// have kept none, or been killed before it wrote them.
pub(super) fn prepare_logs<'a>(
    directory: &Path,
    done: impl Iterator<Item = &'a GameRecord>,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("--botzone-log {}", directory.display()))?;
    for game in done.filter(|game| !log_path(directory, game.game).exists()) {
        write_log(directory, game)?;
    }
    Ok(())
}

/// Writes a game's log, whole or not at all.
fn write_log(directory: &Path, game: &GameRecord) -> anyhow::Result<()> {
    let path = log_path(directory, game.game);
    let text = match_log(game)?.to_string() + "\n";
    Ok(files::replace(&path, text).map_err(|error| Failed(format!("{}: {error}", path.display())))?)
}

impl Stage<'_> {
    /// Says where a resumed contest stands.
    pub(super) fn begin(&mut self, done: usize) -> anyhow::Result<()> {
        self.follow();
        if done > 0 {
            self.say(&format!("Resumed after {done} of {}.", counted(self.total, "game", "games")))?;
        }
        Ok(())
    }

    /// Takes a game in; break once every test has a verdict.
    pub(super) fn take(&mut self, game: &GameRecord) -> anyhow::Result<ControlFlow<()>> {
        // The record before the log, which can be made from it.
        if let Some(record) = &mut self.record {
            record.add(game).map_err(|error| Failed(error.to_string()))?;
        }
        if let Some(directory) = self.botzone_log {
            write_log(directory, game)?;
        }
        self.results.add(game);
        self.follow();
        #[cfg(feature = "serve")]
        if let Some(show) = self.show {
            show.view().add(game);
            self.tell();
        }
        self.bar.inc(1);
        let mut text = summary::game_line(game, self.results.games, self.total);
        if self.results.games.is_multiple_of(self.every) && self.results.games < self.total as u64 {
            text.push('\n');
            text.push_str(&self.interim());
        }
        self.say(&text)?;
        // Only the first fault of each kind: a program that always fails would fill the screen, and
        // the record has all faults.
        let losses = &self.results.entrants[game.players[1 - game.winner].entrant].losses;
        if let Some(evidence) = summary::evidence(game).filter(|_| losses.get(&game.reason) == Some(&1)) {
            // A closed standard error costs no match.
            let _ = self.bar.suspend(|| writeln!(std::io::stderr(), "{evidence}"));
        }
        Ok(if self.decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Whether there are tests and all have their verdict.
    pub(super) fn decided(&self) -> bool {
        !self.tests.is_empty() && self.tests.iter().all(|test| test.verdict.is_some())
    }

    /// Clears the bar away.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        // A blank line separates the final report from the games.
        if self.results.games > 0 { self.say("") } else { Ok(()) }
    }

    fn follow(&mut self) {
        for test in &mut self.tests {
            test.follow(&self.results);
            if test.verdict.is_some() {
                self.pairings.add(test.players);
            }
        }
        if let [a, b] = self.names {
            self.bar.set_message(summary::score_line([a, b], &self.results.standing(0, 1)));
        }
    }

    /// The running summary.
    fn interim(&self) -> String {
        let [a, b] = self.names else {
            let report = summary::tournament_report(self.names, &self.results, &self.tests);
            return report.trim_end().to_owned();
        };
        let standing = self.results.standing(0, 1);
        let (score, elo) = (summary::score_line([a, b], &standing), summary::elo_line(&standing));
        let tests = summary::sprt_lines(self.names, &self.tests);
        format!("{score}\n{elo}\n{tests}").trim_end().to_owned()
    }

    /// Prints a line of results above the bar.
    fn say(&self, text: &str) -> anyhow::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.bar.suspend(|| writeln!(std::io::stdout().lock(), "{}", printable(text)))?;
        Ok(())
    }
}

fn log_path(directory: &Path, game: usize) -> PathBuf {
    directory.join(format!("game-{:06}.json", game + 1))
}
