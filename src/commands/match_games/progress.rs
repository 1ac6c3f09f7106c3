//! The progress of a match: counts, records, logs and shows each finished game, and resumes an
//! interrupted match.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use indicatif::ProgressBar;

use super::args::Args;
use crate::commands::options::expect_writable;
use crate::commands::{Failed, progress};
use crate::contest::report::ContestReport;
use crate::contest::{
    Contest, ContestResults, DecidedPairings, Fixture, GameRecord, Record, Resumed, RunOptions, RunningSprt,
    match_log, quoted, summary,
};
use crate::files;
use crate::game::{Fen, FullMove};
use crate::messages::{counted, printable};

/// The results so far, and the files and the page that show them.
pub(super) struct MatchProgress<'a> {
    args: &'a Args,
    names: Vec<String>,
    total: usize,
    results: ContestResults,
    /// The sequential tests: none, that of a match, or one for each pairing of a gauntlet.
    tests: Vec<RunningSprt>,
    /// The pairings whose tests have a verdict.
    pairings: Arc<DecidedPairings>,
    record: Option<Record>,
    /// The numbers of the games that an earlier run played.
    pub(super) done: BTreeSet<usize>,
    bar: ProgressBar,
    /// The page that shows the match, if the user asked for one.
    show: Option<super::show::Show>,
}

impl<'a> MatchProgress<'a> {
    /// Begins or resumes a match. All that can fail comes before a new record is begun, which would
    /// be left without games.
    pub(super) fn begin(
        args: &'a Args,
        contest: &Contest,
        anchor: Option<(usize, f64)>,
        tests: Vec<RunningSprt>,
    ) -> anyhow::Result<MatchProgress<'a>> {
        let names: Vec<String> = contest.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let total = contest.fixtures.len();
        expect_writable([("--table", &args.table)])?;
        expect_writable([("--html", &args.html)])?;
        if let Some(directory) = args.botzone_log.as_ref().filter(|_| !args.resume) {
            prepare_logs(directory, &contest.fixtures, &BTreeSet::new(), &[])?;
        }
        let show = match (args.watch, &args.html) {
            (None, None) => None,
            (port, _) => Some(super::show::Show::new(&names, total, port)?),
        };
        let header = contest.header();
        let (record, resumed) = match &args.record {
            Some(path) if args.resume => {
                Record::resume(path, &header).map(|(record, games)| (Some(record), games))?
            }
            Some(path) => (Some(Record::create(path, &header)?), Resumed::default()),
            None => (None, Resumed::default()),
        };
        let games = recorded_games(resumed, contest)?;
        let done: BTreeSet<usize> = games.iter().map(|game| game.number).collect();
        if let Some(directory) = &args.botzone_log {
            prepare_logs(directory, &contest.fixtures, &done, &games)?;
        }
        let mut progress = MatchProgress {
            args,
            total,
            results: ContestResults::new(names.len()),
            tests,
            pairings: Arc::default(),
            record,
            bar: progress::bar(total, done.len()),
            show,
            names,
            done,
        };
        progress.results.anchor = anchor;
        for game in &games {
            progress.add(game);
        }
        progress.follow();
        if !games.is_empty() {
            progress.say(&format!(
                "Resumed after {} of {}.",
                games.len(),
                counted(total, "game", "games")
            ))?;
        }
        Ok(progress)
    }

    /// The way to play the games that are left.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            concurrency: self.args.concurrency,
            pin: self.args.pin,
            log: self.args.log.clone(),
            decided: Arc::clone(&self.pairings),
            live: self.show.as_ref().and_then(super::show::Show::live),
        }
    }

    /// Takes a game in; break once every test has a verdict.
    pub(super) fn take(&mut self, game: &GameRecord) -> anyhow::Result<ControlFlow<()>> {
        // The record before the log, which can be made from it.
        if let Some(record) = &mut self.record {
            record.add(game).map_err(|error| Failed(error.to_string()))?;
        }
        if let Some(directory) = &self.args.botzone_log {
            write_log(directory, game)?;
        }
        self.add(game);
        self.follow();
        self.bar.inc(1);
        let mut text = summary::game_line(game, self.results.games, self.total);
        if self.results.games.is_multiple_of(self.args.report) && self.results.games < self.total as u64 {
            text.push('\n');
            text.push_str(&self.interim());
        }
        self.say(&text)?;
        // Only the first fault of each kind: a program that always fails would fill the screen, and
        // the record has all faults.
        let end = game.end();
        let losses = &self.results.entrants[game.players[(!end.winner).index()].entrant].losses;
        if let Some(evidence) = summary::evidence(game).filter(|_| losses.get(&end.kind) == Some(&1)) {
            // A closed standard error costs no match.
            let _ = self.bar.suspend(|| writeln!(std::io::stderr(), "{evidence}"));
        }
        Ok(if self.decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// True if there are tests and all have a verdict.
    pub(super) fn decided(&self) -> bool {
        !self.tests.is_empty() && self.tests.iter().all(|test| test.verdict.is_some())
    }

    /// The error of a program that started before and does not now: the player is not at fault.
    pub(super) fn given_up(&self, error: &dyn std::fmt::Display) -> Failed {
        let games = counted(self.results.games, "game", "games");
        Failed(format!("given up after {games}: {error}; {}", resume_hint(self.args)))
    }

    /// Prints the final report and writes the files of results.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        // A blank line separates the final report from the games.
        if self.results.games > 0 {
            self.say("")?;
        }
        let text = match self.args.json {
            true => serde_json::to_string(&self.json())? + "\n",
            false => printable(&self.report()),
        };
        std::io::stdout().lock().write_all(text.as_bytes())?;
        if let Some(path) = &self.args.table {
            let table = summary::ratings_table(&self.names, &self.results);
            let page = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
            let text = if page { table.html("Quiver: ratings and results") } else { table.markdown() };
            files::replace(path, text)
                .map_err(|error| Failed(format!("--table {}: {error}", path.display())))?;
        }
        if let Some(show) = &self.show {
            show.finish(self.args.html.as_deref())?;
        }
        Ok(())
    }

    /// Fails if the match was interrupted or a player was at fault.
    pub(super) fn exit_status(&self, interrupted: bool) -> anyhow::Result<()> {
        let games = counted(self.results.games, "game", "games");
        if interrupted && self.results.games < self.total as u64 && !self.decided() {
            bail!(Failed(format!("interrupted after {games}; {}", resume_hint(self.args))));
        }
        let faults = self.results.faults;
        if faults > 0 {
            let culprits = summary::culprits(&self.names, &self.results);
            bail!(Failed(format!("{faults} of {games} ended by a fault: {culprits}")));
        }
        Ok(())
    }

    /// Counts and shows a game.
    fn add(&mut self, game: &GameRecord) {
        self.results.add(game);
        if let Some(show) = &self.show {
            show.view().add(game);
        }
    }

    /// Brings tests, the bar and the page up to the results.
    fn follow(&mut self) {
        for test in &mut self.tests {
            test.follow(&self.results);
            if test.verdict.is_some() {
                self.pairings.add(test.players);
            }
        }
        if let [a, b] = &self.names[..] {
            self.bar.set_message(summary::score_line([a, b], &self.results.standing(0, 1)));
        }
        if let Some(show) = &self.show {
            // Its keys are texts and its numbers plain: nothing in it can fail to be written.
            let report = serde_json::to_value(self.json()).unwrap_or_default();
            show.view().report(report, self.report());
        }
    }

    /// The whole report as JSON.
    fn json(&self) -> ContestReport<'_> {
        ContestReport::new(&self.names, &self.results, &self.tests)
    }

    /// The whole report as text.
    fn report(&self) -> String {
        let report = if self.names.len() == 2 && self.args.tournament.is_none() {
            summary::match_report
        } else {
            summary::tournament_report
        };
        report(&self.names, &self.results, &self.tests)
    }

    /// The running summary.
    fn interim(&self) -> String {
        let [a, b] = &self.names[..] else { return self.report().trim_end().to_owned() };
        let standing = self.results.standing(0, 1);
        let (score, elo) = (summary::score_line([a, b], &standing), summary::elo_line(&standing));
        let tests = summary::sprt_lines(&self.names, &self.tests);
        format!("{score}\n{elo}\n{tests}").trim_end().to_owned()
    }

    /// Prints a line of results above the bar, unless standard output gets only the final report.
    fn say(&self, text: &str) -> anyhow::Result<()> {
        if self.args.json {
            return Ok(());
        }
        self.bar.suspend(|| writeln!(std::io::stdout().lock(), "{}", printable(text)))?;
        Ok(())
    }
}

/// The games of a record that are games of this contest.
fn recorded_games(resumed: Resumed, contest: &Contest) -> anyhow::Result<Vec<GameRecord>> {
    if resumed.torn {
        eprintln!("quiver: the record's last line was torn and has been dropped; its game is played again");
    }
    let fixtures: BTreeMap<usize, &Fixture> =
        contest.fixtures.iter().map(|fixture| (fixture.game, fixture)).collect();
    let all = resumed.games.len();
    let mut games = resumed.games;
    games.retain(|game| fixtures.contains_key(&game.number));
    for game in &games {
        let fixture = fixtures[&game.number];
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        ensure!(
            players == fixture.players && game.pair == fixture.pair,
            "the record's game {} is not a game of this match: pair {}, players {players:?}, expected {}, {:?}",
            game.number,
            game.pair,
            fixture.pair,
            fixture.players
        );
        let opening = contest.openings.get(fixture.opening);
        let start = *game.game.start();
        let moves = &game.game.moves()[..game.opening];
        let text = |moves: &[FullMove]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
        ensure!(
            start == *opening.start() && moves == opening.moves(),
            "the record's game {} begins with {:?} from {}: expected {:?} from {}, the opening of this match",
            game.number,
            text(moves),
            Fen(start),
            text(&opening.moves()),
            Fen(*opening.start())
        );
    }
    let beyond = all - games.len();
    if beyond > 0 {
        eprintln!("quiver: {beyond} games of the record are beyond the number asked for and are left out");
    }
    Ok(games)
}

/// Makes the directory of logs, and the missing logs of games that an earlier run played: it may
/// have kept none, or been killed before it wrote them. Refuses a directory with a log of a game
/// that is yet to play: it would be of another match.
fn prepare_logs(
    directory: &Path,
    fixtures: &[Fixture],
    done: &BTreeSet<usize>,
    games: &[GameRecord],
) -> anyhow::Result<()> {
    let to_play = fixtures.iter().filter(|fixture| !done.contains(&fixture.game));
    if let Some(path) = to_play.map(|fixture| log_path(directory, fixture.game)).find(|path| path.exists()) {
        bail!("{} exists: expected a directory without games of another match", path.display());
    }
    std::fs::create_dir_all(directory).with_context(|| format!("--botzone-log {}", directory.display()))?;
    for game in games.iter().filter(|game| !log_path(directory, game.number).exists()) {
        write_log(directory, game)?;
    }
    Ok(())
}

/// Writes a game's log, whole or not at all.
fn write_log(directory: &Path, game: &GameRecord) -> anyhow::Result<()> {
    let path = log_path(directory, game.number);
    let text = match_log(game)?.to_string() + "\n";
    Ok(files::replace(&path, text).map_err(|error| Failed(format!("{}: {error}", path.display())))?)
}

fn log_path(directory: &Path, game: usize) -> PathBuf {
    directory.join(format!("game-{:06}.json", game + 1))
}

/// Tells the user how to resume a match that was not played to its end.
fn resume_hint(args: &Args) -> String {
    match &args.record {
        Some(_) => format!("go on with:\n{}", command()),
        None => "without --record the match cannot be resumed".to_owned(),
    }
}

/// The command line that resumes this match: the one given, with `--resume`.
fn command() -> String {
    // A file's name may be invalid UTF-8; the message shows the closest text.
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let board = std::env::var_os("QUIVER_BOARD").map(|board| board.to_string_lossy().into_owned());
    resumed(words.collect(), board)
}

/// These arguments with `--resume`, and with the board of the environment variable, so that the
/// command means the same in another shell.
fn resumed(mut words: Vec<String>, board: Option<String>) -> String {
    let says_board = words.iter().any(|word| word == "--board" || word.starts_with("--board="));
    if let Some(board) = board.filter(|_| !says_board) {
        words.extend(["--board".to_owned(), board]);
    }
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_go_on_with_needs_no_environment() {
        let command = |line: &str, board: Option<&str>| {
            resumed(line.split(' ').map(str::to_owned).collect(), board.map(str::to_owned))
        };
        assert_eq!(command("quiver match", None), "quiver match --resume");
        assert_eq!(command("quiver match --resume", Some("8")), "quiver match --resume --board 8");
        for line in ["quiver --board 6", "quiver --board=6"] {
            assert_eq!(command(line, Some("8")), format!("{line} --resume"));
        }
    }
}
