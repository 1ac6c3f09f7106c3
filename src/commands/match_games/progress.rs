//! The progress of a match: counts, records, logs and shows each finished game, and resumes an
//! interrupted match.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use amazons::Game;
use anyhow::{Context, bail, ensure};
use indicatif::ProgressBar;

use super::args::Args;
use crate::commands::options::expect_writable;
use crate::commands::{Failed, message, print_result, progress_bar, write_result};
use crate::contest::statistics::Rating;
use crate::contest::summary;
use crate::contest::{
    Contest, ContestResults, Fixture, GameRecord, Placement, RunOptions, command_line, record,
};
use crate::files::Journal;
use crate::messages::{counted, printable, warn};
use crate::web::contest_page::{ContestView, watch};

/// The time that the end of a contest waits for a page to hear of it; pages ask every second.
const LAST_WORD: Duration = Duration::from_secs(3);

/// The files and the page that show the results of a match as it is played.
pub(super) struct MatchProgress<'a> {
    args: &'a Args,
    title: String,
    total: usize,
    record: Option<Journal>,
    bar: ProgressBar,
    /// The page that shows the match, if the user asked for one.
    view: Option<Arc<ContestView>>,
}

impl<'a> MatchProgress<'a> {
    /// Begins or resumes a match: takes the recorded games out of the contest's list and into its
    /// results. Sets where the games in progress are shown, `options.live`, if a page shows them.
    pub(super) fn begin(
        args: &'a Args,
        contest: &mut Contest,
        options: &mut RunOptions,
    ) -> anyhow::Result<MatchProgress<'a>> {
        expect_writable([("--html", &args.html)])?;
        let title = match &contest.entrants[..] {
            [a, b] => format!("{} vs {}", a.name, b.name),
            several => format!("Tournament of {}", several.len()),
        };
        let total = contest.fixtures.len();
        let shown = args.watch.is_some() || args.html.is_some();
        let view = shown.then(|| Arc::new(ContestView::new(total)));
        if let (Some(port), Some(view)) = (args.watch, &view) {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let address =
                watch(address, &title, Arc::clone(view)).with_context(|| format!("--watch {port}"))?;
            warn(format_args!("watch at http://{address}/"));
            options.live = Some(Arc::clone(&view.live));
        }
        let header = contest.header();
        let (record, games) = match &args.record {
            None => (None, Vec::new()),
            Some(path) if !args.resume => (Some(Journal::create(&record::MATCH, path, &header)?), Vec::new()),
            Some(path) => {
                let (resumed, recorded) = record::resume(&record::MATCH, path, &header)?;
                (Some(resumed), recorded)
            }
        };
        let games = games_of(contest, games)?;
        let bar = progress_bar(total, games.len());
        let progress = MatchProgress { args, title, total, record, bar, view };
        games.iter().for_each(|game| contest.results.add(game));
        progress.show(&games, &mut contest.results);
        if !games.is_empty() {
            let total = counted(total, "game", "games");
            // If standard output is closed, the next game ends the match.
            let _ = progress.say(&format!("Resumed after {} of {total}.", games.len()));
        }
        Ok(progress)
    }

    /// Records and shows a game, with the results after it.
    pub(super) fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> anyhow::Result<()> {
        if let Some(record) = &mut self.record {
            record.append(&game.line()).map_err(|error| Failed(error.to_string()))?;
        }
        self.show(std::slice::from_ref(game), results);
        self.bar.inc(1);
        let (done, every) = (results.games, self.args.report);
        let mut text = summary::game_line(game, done, self.total);
        if let Some(Placement { rating: Rating { elo, error }, .. }) = results.placement() {
            text += &format!("; Elo {elo:.0} +/- {error:.0}");
        } else if done.is_multiple_of(every) && done < self.total as u64 {
            let two = results.entrants.len() == 2;
            let report = if two { summary::interim(results) } else { summary::report(results) };
            text += &format!("\n{}", report.trim_end());
        }
        self.say(&text)?;
        // Only the first fault of each kind: a program that always fails would fill the screen, and
        // the record has all faults.
        let end = game.end();
        let losses = &results.entrants[game.players[(!end.winner).index()].entrant].losses;
        if let Some(evidence) = summary::evidence(game).filter(|_| losses.get(&end.kind) == Some(&1)) {
            // A closed standard error costs no match.
            let _ = self.bar.suspend(|| writeln!(std::io::stderr(), "{}", printable(&evidence)));
        }
        Ok(())
    }

    /// Writes the files of results and prints the final report, also of a match that was cut short by
    /// an interrupt or by the error of `played`. Fails if it was, or if a player was at fault.
    pub(super) fn finish(
        self,
        results: &mut ContestResults,
        played: anyhow::Result<()>,
        interrupted: bool,
    ) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        let results = results.rated();
        // A closed standard output leaves the files, and a full disk the report.
        let (printed, written) = (self.print(results), self.write_files());
        let games = counted(results.games, "game", "games");
        let unfinished = interrupted && results.games < self.total as u64 && !results.decided();
        let cut_short = match played.and(written) {
            Err(error) => Some(format!("ended after {games}: {}", message(&error))),
            Ok(()) => unfinished.then(|| format!("interrupted after {games}")),
        };
        if let Some(end) = cut_short {
            bail!(Failed(end + &resume_hint(self.args)));
        }
        let (faults, culprits) = (results.faults, summary::culprits(results));
        ensure!(faults == 0, Failed(format!("{faults} of {games} ended by a fault: {culprits}")));
        printed
    }

    /// Prints the final report, a blank line after the games.
    fn print(&self, results: &ContestResults) -> anyhow::Result<()> {
        if results.games > 0 {
            self.say("")?;
        }
        match results.placement() {
            Some(placement) => print_result(self.args.json, &placement, || placement.to_string()),
            None => print_result(self.args.json, results, || summary::report(results)),
        }
    }

    fn write_files(&self) -> anyhow::Result<()> {
        if let Some(view) = &self.view {
            view.state.lock().over = true;
            if let Some(path) = &self.args.html {
                write_result("--html", path, view.html(&self.title))?;
            }
            let end = Instant::now() + LAST_WORD;
            while self.args.watch.is_some() && !view.state.lock().told_end && Instant::now() < end {
                sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    /// Brings the bar and the page up to these games and to the results after them.
    fn show(&self, games: &[GameRecord], results: &mut ContestResults) {
        if results.entrants.len() == 2 {
            self.bar.set_message(summary::score_line(results));
        }
        if let Some(view) = &self.view {
            // Its keys are texts and its numbers plain: nothing in it can fail to be written.
            let report = serde_json::to_value(results.rated()).unwrap_or_default();
            let text = summary::report(results);
            let mut state = view.state.lock();
            state.games.extend_from_slice(games);
            (state.report, state.text) = (report, text);
        }
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

/// The recorded games that are games of this contest, and no more to play.
fn games_of(contest: &mut Contest, mut games: Vec<GameRecord>) -> anyhow::Result<Vec<GameRecord>> {
    let fixtures: BTreeMap<_, _> = contest.fixtures.iter().map(|&fixture| (fixture.game, fixture)).collect();
    let all = games.len();
    games.retain(|game| fixtures.contains_key(&game.number));
    let described = |players: [usize; 2], game: &Game, plies: usize| {
        let moves: Vec<String> = game.moves()[..plies].iter().map(ToString::to_string).collect();
        format!("between players {players:?}, opening {moves:?} from {}", game.start())
    };
    for game in &games {
        let Fixture { players, opening, .. } = fixtures[&game.number];
        let opening = contest.openings.get(contest.seed, opening);
        let expected = described(players, &opening, opening.plies().len());
        let players = game.players.each_ref().map(|player| player.entrant);
        let recorded = described(players, &game.game, game.opening);
        ensure!(
            recorded == expected,
            "the record's game {} is not a game of this match: it is {recorded}, expected {expected}",
            game.number
        );
    }
    let played: BTreeSet<usize> = games.iter().map(|game| game.number).collect();
    contest.fixtures.retain(|fixture| !played.contains(&fixture.game));
    let beyond = all - games.len();
    if beyond > 0 {
        warn(format_args!("{beyond} games of the record are beyond the number asked for and are left out"));
    }
    Ok(games)
}

/// Tells the user how to resume a match that was not played to its end: by these arguments, with
/// `--resume` and with a board that the environment names, which may not be that of another shell.
fn resume_hint(args: &Args) -> String {
    if args.record.is_none() {
        let hint = "; without --record the match cannot be resumed";
        return if args.ladder.is_some() { String::new() } else { hint.to_owned() };
    }
    // A file's name may be invalid UTF-8; the message shows the closest text.
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let board = args.board.is_named().then(|| ("--board", format!("={}", args.board.board)));
    for (name, value) in board.into_iter().chain([("--resume", String::new())]) {
        if !words.iter().any(|word| word.split('=').next() == Some(name)) {
            words.push(format!("{name}{value}"));
        }
    }
    format!("; go on with:\n{}", command_line(&words))
}
