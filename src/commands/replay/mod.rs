//! `quiver replay`: reads games, checks them against the rules, and prints their results.

mod summary;

use std::path::{Path, PathBuf};

use amazons::Side;
use anyhow::{bail, ensure};
use quiver_bot::Start;
use serde::Serialize;

use super::options::{EngineArgs, LimitArgs, expect_no_input, expect_writable};
use super::{Failed, games, message, progress_bar};
use crate::analysis::Review;
use crate::formats::{self, CheckedGame};
use crate::games::FoundGame;
use crate::messages::{excerpt, warn};
use crate::web::game_report::GameReport;
use crate::web::match_page::{ShownMatch, matches_html};
use crate::words::{self, Language};

const DEFAULT_PLAYOUTS: u64 = 2000;

/// The largest number of matches on one HTML page. A page of 100 matches has about ten megabytes.
const MAX_PAGE_MATCHES: usize = 100;

/// The side length of the board that is tried first for moves without a start position.
const DEFAULT_BOARD: usize = 10;

#[derive(Debug, clap::Args)]
#[command(after_long_help = include_str!("fields.txt"))]
pub(super) struct Args {
    /// Files of games: Botzone logs (also with one log a line, or as saved web pages), match
    /// records, SGF, GGF or lists of moves; plain or gzip; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Report only the match with this id, or if none has this id, the match with this number among
    /// all that are read
    #[arg(long = "match", value_name = "ID")]
    only: Option<String>,
    /// Print the result as one JSON object, whose fields --help lists
    #[arg(long)]
    json: bool,
    /// Search every position and show which moves lost the game [default: 2000 playouts a position]
    #[arg(long)]
    analyze: bool,
    /// Write one self-contained HTML page that shows the matches move by move
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// The largest length, in characters, of an error message about a log that cannot be read.
const MAX_ERROR_LENGTH: usize = 300;
const MAX_SHOWN_ERRORS: usize = 10;

/// A match that was read and checked against the rules.
struct ExaminedMatch {
    /// The number of the match among all that were read, from 1.
    number: usize,
    /// The name of the file, with the line of the match if the file holds several matches.
    place: String,
    checked: CheckedGame,
    review: Option<Review>,
}

#[derive(Serialize)]
struct UnreadableLog {
    place: String,
    error: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let limited = args.limits.time.is_some() || args.limits.playouts.is_some();
    ensure!(args.analyze || !limited, "--time or --playouts without --analyze: expected --analyze as well");
    expect_no_input("--html", args.html.as_ref(), &args.files)?;
    expect_writable("--html", args.html.as_ref())?;
    let options = args.engine.options()?;
    let (mut matches, mut unreadable) = read(&args.files);
    if let Some(only) = &args.only {
        let has_id = |one: &ExaminedMatch| one.checked.game.event.as_deref() == Some(only);
        let number = only.parse().ok().filter(|_| !matches.iter().any(has_id));
        matches.retain(|one| has_id(one) || Some(one.number) == number);
        if !matches.is_empty() {
            // The user asked for one match, so errors in other logs are not reported.
            unreadable.clear();
        } else if unreadable.is_empty() {
            bail!("--match {only}: no match that was read has this id or number");
        }
    }
    let count = matches.len();
    ensure!(
        args.html.is_none() || count <= MAX_PAGE_MATCHES,
        "--html with {count} matches: expected at most {MAX_PAGE_MATCHES}; choose one match with --match"
    );
    if args.analyze {
        let bar = progress_bar(matches.iter().map(|one| one.checked.game.plies().len() + 1).sum(), 0);
        let limits = args.limits.or_playouts(DEFAULT_PLAYOUTS);
        for one in &mut matches {
            one.review = Some(Review::new(&options, &one.checked.game, &limits, || bar.inc(1)));
        }
        bar.finish_and_clear();
    }
    super::print_result(args.json, &report(&matches, &unreadable), || summary::text(&matches))?;
    if let Some(path) = args.html.as_deref().filter(|_| !matches.is_empty()) {
        write_page(path, &matches)?;
    }
    expect_valid_logs(&matches, &unreadable)
}

fn read(files: &[PathBuf]) -> (Vec<ExaminedMatch>, Vec<UnreadableLog>) {
    let (mut matches, mut unreadable) = (Vec::new(), Vec::new());
    let unread = |place, error: anyhow::Error| UnreadableLog {
        place,
        error: excerpt(&message(&error), MAX_ERROR_LENGTH),
    };
    let mut number = 0;
    for path in files {
        let file = games::input_name(path);
        let read =
            || Ok(formats::read(&games::read_bytes(path)?, &Start::positions_preferring(DEFAULT_BOARD))?.1);
        let found = read().unwrap_or_else(|error| {
            unreadable.push(unread(file.clone(), error));
            Vec::new()
        });
        let pack = found.len() > 1;
        for FoundGame { line, game } in found {
            number += 1;
            let place = if pack { format!("{file}, line {line}") } else { file.clone() };
            match game {
                Ok(checked) => matches.push(ExaminedMatch { number, place, checked, review: None }),
                Err(error) => unreadable.push(unread(place, error.into())),
            }
        }
    }
    (matches, unreadable)
}

/// The JSON object that `--json` prints.
#[derive(Serialize)]
struct ReplayReport<'a> {
    matches: Vec<MatchReport<'a>>,
    unreadable: &'a [UnreadableLog],
    /// True if every match was read and agrees with the rules.
    held: bool,
}

#[derive(Serialize)]
struct MatchReport<'a> {
    number: usize,
    place: &'a str,
    #[serde(flatten)]
    game: GameReport<'a>,
}

fn report<'a>(matches: &'a [ExaminedMatch], unreadable: &'a [UnreadableLog]) -> ReplayReport<'a> {
    let report = |ExaminedMatch { number, place, checked, review }: &'a ExaminedMatch| MatchReport {
        number: *number,
        place,
        game: GameReport::new(checked, review.as_ref()),
    };
    let held = unreadable.is_empty() && matches.iter().all(|one| one.checked.disagreements.is_empty());
    ReplayReport { matches: matches.iter().map(report).collect(), unreadable, held }
}

fn write_page(path: &Path, matches: &[ExaminedMatch]) -> anyhow::Result<()> {
    let shown = matches.iter().map(|ExaminedMatch { place, checked, review, .. }| {
        let [first, second] =
            Side::BOTH.map(|side| words::player_with_side(&checked.game, side, Language::English));
        let file = place.rsplit('/').next().unwrap_or(place);
        let event = checked.game.event.as_ref().map(|event| format!(", {event}")).unwrap_or_default();
        let title = format!("{file}{event}: {first} – {second}");
        ShownMatch::new(title, checked, review.as_ref(), None)
    });
    super::write_result("--html", path, matches_html(&shown.collect::<Vec<_>>()))
}

fn expect_valid_logs(matches: &[ExaminedMatch], unreadable: &[UnreadableLog]) -> anyhow::Result<()> {
    let count = unreadable.len();
    if let [UnreadableLog { place, error }] = unreadable {
        bail!("{place}: {error}");
    }
    for UnreadableLog { place, error } in unreadable.iter().take(MAX_SHOWN_ERRORS) {
        warn(format_args!("{place}: {error}"));
    }
    if count > MAX_SHOWN_ERRORS {
        warn(format_args!("and {} more", count - MAX_SHOWN_ERRORS));
    }
    ensure!(count == 0, "{count} logs could not be read");
    let wrong = matches.iter().filter(|one| !one.checked.disagreements.is_empty()).count();
    let what = match (wrong, matches.len()) {
        (0, _) => return Ok(()),
        (1, 1) => "the log disagrees with the rules".to_owned(),
        (wrong, all) => format!("{wrong} of {all} logs disagree with the rules"),
    };
    Err(Failed(what).into())
}
