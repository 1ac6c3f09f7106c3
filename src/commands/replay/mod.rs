//! `quiver replay`: reads games, checks them against the rules, and prints their results.
//!
//! `formats` reads and checks them, `analysis` searches and reports them, `web::match_page` makes the
//! page. `summary` has the results for people, `fields.txt` describes those for programs.

mod summary;

use std::path::{Path, PathBuf};

use amazons::Side;
use anyhow::{bail, ensure};
use quiver_bot::Start;
use serde::Serialize;

use super::options::{EngineArgs, LimitOptions, expect_writable};
use super::{Failed, games, message, progress_bar};
use crate::analysis::Review;
use crate::formats::{self, CheckedGame};
use crate::games::FoundGame;
use crate::messages::{excerpt, warn};
use crate::web::game_report::GameReport;
use crate::web::match_page::{ShownGame, matches_html};
use crate::words::{self, Language};

/// Playouts a position where neither --playouts nor --time says otherwise.
const DEFAULT_PLAYOUTS: u64 = 2000;

/// Matches that one page holds at most: a hundred make some ten megabytes.
const MAX_SHOWN: usize = 100;

/// The board on which moves without a position are tried first.
const DEFAULT_BOARD: usize = 10;

#[derive(Debug, clap::Args)]
#[command(after_long_help = include_str!("fields.txt"))]
pub(super) struct Args {
    /// Match logs (packs with one a line, or pages saved from the site), match records, SGF,
    /// GGF or lists of moves; plain or gzip; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only this match: its id, or its number among all that are read
    #[arg(long = "match", value_name = "ID")]
    only: Option<String>,
    /// Print one JSON object; --help says its shape
    #[arg(long)]
    json: bool,
    /// Search every position and show where the game was lost [default: 2000 playouts a position]
    #[arg(long)]
    analyze: bool,
    /// Write one self-contained page to step through the matches
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    engine: EngineArgs,
}

const LONGEST_CAUSE: usize = 300;
const MOST_CAUSES: usize = 10;

struct Examined {
    /// Its number among all that were read, from 1.
    number: usize,
    /// Its file, and its line where the file is a pack.
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
    ensure!(args.analyze || !limited, "--time and --playouts are limits of --analyze: expected it as well");
    expect_writable([("--html", &args.html)])?;
    let options = args.engine.options()?;
    let (mut matches, mut unreadable) = read(&args.files);
    if let Some(only) = &args.only {
        let number = only.parse().ok();
        matches.retain(|one| one.checked.game.event.as_deref() == Some(only) || Some(one.number) == number);
        if !matches.is_empty() {
            // The user asked for one match, so the others are not checked.
            unreadable.clear();
        } else if unreadable.is_empty() {
            bail!("--match {only}: no match that was read has this id or number");
        }
    }
    let count = matches.len();
    ensure!(
        args.html.is_none() || count <= MAX_SHOWN,
        "--html with {count} matches: expected at most {MAX_SHOWN}, --match picks one"
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
    verdict(&matches, &unreadable)
}

fn read(files: &[PathBuf]) -> (Vec<Examined>, Vec<UnreadableLog>) {
    let (mut matches, mut unreadable) = (Vec::new(), Vec::new());
    let unread = |place, error: anyhow::Error| UnreadableLog {
        place,
        error: excerpt(&message(&error), LONGEST_CAUSE),
    };
    let mut number = 0;
    for path in files {
        let file = games::name(path);
        let read = || Ok(formats::read(&games::bytes(path)?, &Start::positions_from(DEFAULT_BOARD))?.1);
        let found = read().unwrap_or_else(|error| {
            unreadable.push(unread(file.clone(), error));
            Vec::new()
        });
        let pack = found.len() > 1;
        for FoundGame { line, game } in found {
            number += 1;
            let place = if pack { format!("{file}, line {line}") } else { file.clone() };
            match game {
                Ok(checked) => matches.push(Examined { number, place, checked, review: None }),
                Err(error) => unreadable.push(unread(place, error.into())),
            }
        }
    }
    (matches, unreadable)
}

/// The object of `--json`.
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

fn report<'a>(matches: &'a [Examined], unreadable: &'a [UnreadableLog]) -> ReplayReport<'a> {
    let report = |Examined { number, place, checked, review }: &'a Examined| MatchReport {
        number: *number,
        place,
        game: GameReport::new(checked, review.as_ref()),
    };
    let held = unreadable.is_empty() && matches.iter().all(|one| one.checked.disagreements.is_empty());
    ReplayReport { matches: matches.iter().map(report).collect(), unreadable, held }
}

/// Writes the page. A title has the match's file without the folders, and its id.
fn write_page(path: &Path, matches: &[Examined]) -> anyhow::Result<()> {
    let shown = matches.iter().map(|Examined { place, checked, review, .. }| {
        let [first, second] = Side::BOTH.map(|side| words::player(&checked.game, side, Language::English));
        let file = place.rsplit('/').next().unwrap_or(place);
        let event = checked.game.event.as_ref().map(|event| format!(", {event}")).unwrap_or_default();
        let title = format!("{file}{event}: {first} – {second}");
        ShownGame { title, checked, review: review.as_ref(), opens_at: None }
    });
    super::write_result("--html", path, matches_html(&shown.collect::<Vec<_>>()))
}

/// The result of the command. Bad input is reported before a check that did not hold.
fn verdict(matches: &[Examined], unreadable: &[UnreadableLog]) -> anyhow::Result<()> {
    let count = unreadable.len();
    if let [UnreadableLog { place, error }] = unreadable {
        bail!("{place}: {error}");
    }
    for UnreadableLog { place, error } in unreadable.iter().take(MOST_CAUSES) {
        warn(format_args!("{place}: {error}"));
    }
    if count > MOST_CAUSES {
        warn(format_args!("and {} more", count - MOST_CAUSES));
    }
    ensure!(count == 0, "{count} of these could not be read");
    let wrong = matches.iter().filter(|one| !one.checked.disagreements.is_empty()).count();
    let what = match (wrong, matches.len()) {
        (0, _) => return Ok(()),
        (1, 1) => "the log disagrees with the rules".to_owned(),
        (wrong, all) => format!("{wrong} of {all} logs disagree with the rules"),
    };
    Err(Failed(what).into())
}
