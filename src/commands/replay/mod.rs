//! `quiver replay`: reads games, checks them against the rules, and prints their results.
//!
//! `formats` reads and checks them, `analysis` searches and reports them, `web::match_page` makes the
//! page. The results for people show one match at length, and several in a line each; `fields.txt`
//! describes those for programs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::options::{EngineArgs, LimitOptions, expect_writable};
use super::{Failed, games, message, progress_bar};
use crate::analysis::{Review, game_report};
use crate::botzone::CheckedGame;
use crate::formats;
use crate::game::move_list::MoveListStart;
use crate::game::{FoundGame, Language, Side, Start};
use crate::messages::{counted, excerpt, warn};
use crate::web::match_page::{ShownGame, matches_html};

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
const LISTED: usize = 3;
const DEAREST: usize = 5;

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
    super::print(match args.json {
        true => format!("{}\n", report(&matches, &unreadable)),
        false => text(&matches),
    })?;
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
        let read = || Ok(formats::read(&games::bytes(path)?, MoveListStart::From(DEFAULT_BOARD))?.1);
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
fn report(matches: &[Examined], unreadable: &[UnreadableLog]) -> Value {
    let one_match = |Examined { number, place, checked, review }: &Examined| {
        let mut object = game_report(checked, review.as_ref());
        (object["number"], object["place"]) = (json!(number), json!(place));
        object
    };
    let held = unreadable.is_empty() && matches.iter().all(|one| one.checked.disagreements.is_empty());
    json!({
        "matches": matches.iter().map(one_match).collect::<Vec<_>>(),
        "unreadable": unreadable,
        "held": held,
    })
}

/// Writes the page. A title has the match's id, or its file without the folders.
fn write_page(path: &Path, matches: &[Examined]) -> anyhow::Result<()> {
    let shown = matches.iter().map(|Examined { place, checked, review, .. }| {
        let [first, second] = Side::BOTH.map(|side| checked.game.player(side, Language::English));
        let file = place.rsplit('/').next().unwrap_or(place);
        let title = format!("{}: {first} – {second}", checked.game.event.as_deref().unwrap_or(file));
        ShownGame { title, checked, review: review.as_ref() }
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

/// The results for people; empty if there is no match. Writing to it cannot fail, so that nothing is lost
/// with the results here and below.
fn text(matches: &[Examined]) -> String {
    let mut out = String::new();
    match matches {
        [] => {}
        [one] => long(&mut out, one),
        several => list(&mut out, several),
    }
    out
}

fn heading(one: &Examined) -> String {
    let id = one.checked.game.event.as_ref().map(|id| format!(", match {}", excerpt(id, usize::MAX)));
    excerpt(&one.place, usize::MAX) + &id.unwrap_or_default()
}

fn long(out: &mut String, one: &Examined) {
    let game = &one.checked.game;
    let begin = game.start();
    let start = Start::of(begin).map_or_else(|| format!("from {begin}"), |start| format!("{start} start"));
    let result = game.result(Language::English);
    let _ = writeln!(out, "{}\n  {} board, {start}\n  {result}", heading(one), begin.size());
    for side in Side::BOTH {
        let Some(times) = game.times(side) else { continue };
        let memory = times.peak_mb.map(|peak| format!(", at most {peak:.0} MB")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {}: {}, mean {:.0} ms, worst {:.0} ms at ply {}{memory}",
            game.player(side, Language::English),
            counted(times.turns, "turn", "turns"),
            times.mean_ms,
            times.worst_ms,
            times.worst_ply
        );
    }
    if let Some(end) = game.end.as_ref().filter(|end| !end.turn.comment.is_empty()) {
        let _ = writeln!(out, "  its last words: {}", excerpt(&end.turn.comment, usize::MAX));
    }
    disagreements(out, one, usize::MAX);
    if one.checked.disagreements.is_empty() {
        let counts = match one.checked.agreed_counts {
            0 => "has no counts of legal moves".to_owned(),
            1 => "its one count of legal moves is right".to_owned(),
            count => format!("its {count} counts of legal moves are right"),
        };
        let _ = writeln!(out, "  agrees with the rules; {counts}");
    }
    table(out, one);
    dearest(out, one);
}

fn disagreements(out: &mut String, one: &Examined, most: usize) {
    let all = &one.checked.disagreements;
    if !all.is_empty() {
        out.push_str("  DISAGREES with the rules:\n");
    }
    all.iter().take(most).for_each(|disagreement| *out += &format!("    {disagreement}\n"));
    if all.len() > most {
        *out += &format!("    and {} more\n", all.len() - most);
    }
}

/// Every ply with the chances after it.
fn table(out: &mut String, one: &Examined) {
    let Some(review) = &one.review else { return };
    out.push_str("\n  ply  side    move          first wins   cost\n");
    for (ply, point) in review.points.iter().enumerate() {
        let side = if ply > 0 { (!point.to_move).to_string() } else { String::new() };
        let full = one.checked.game.move_to(ply).map(|full| full.to_string()).unwrap_or_default();
        let proven = if point.proven && ply > 0 { "proven" } else { "" };
        let cost = review.loss(ply).filter(|loss| loss.judgement().is_some());
        let cost = cost.map(|loss| format!("{:>5.1} %", loss.lost * 100.0)).unwrap_or_default();
        let first = point.first * 100.0;
        let line = format!("  {ply:>3}  {side:<6}  {full:<12}  {first:>5.1} % {proven:<6} {cost}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

/// The plies that cost most, and the ply after which the loser stayed below one half.
fn dearest(out: &mut String, one: &Examined) {
    let (game, Some(review)) = (&one.checked.game, &one.review) else { return };
    for loss in review.losses().iter().take(DEAREST).filter(|loss| loss.judgement().is_some()) {
        let better = loss.best.map(|best| format!("; the engine prefers {best}")).unwrap_or_default();
        let (ply, side, played, lost) = (loss.ply, loss.side, loss.played, loss.lost * 100.0);
        let _ = writeln!(out, "  ply {ply}, {side}: {played} cost {lost:.0} %{better}");
    }
    let loser = game.winner().map(|winner| !winner);
    if let Some((ply, loser)) = loser.and_then(|loser| Some((review.turning_point(loser)?, loser))) {
        let loser = game.player(loser, Language::English);
        let _ = writeln!(out, "  lost at ply {ply}: from there on {loser} stands below 50 %");
    }
}

/// A few lines for each match, then how many ended in which way.
fn list(out: &mut String, several: &[Examined]) {
    for one in several {
        let game = &one.checked.game;
        let (size, result) = (game.start().size(), game.result(Language::English));
        let _ = writeln!(out, "{} ({size}): {result}", heading(one));
        disagreements(out, one, LISTED);
        dearest(out, one);
    }
    let count = |holds: &dyn Fn(&Examined) -> bool| several.iter().filter(|one| holds(one)).count();
    let won = |winner| count(&|one| one.checked.game.winner() == winner);
    let wrong = count(&|one| !one.checked.disagreements.is_empty());
    let failed = count(&|one| one.checked.game.end.as_ref().is_some_and(|end| end.kind.is_failure()));
    let _ = writeln!(
        out,
        "{} matches: the first player won {}, the second {}, {} without a winner; {failed} ended by a failure; \
         {wrong} disagree with the rules",
        several.len(),
        won(Some(Side::First)),
        won(Some(Side::Second)),
        won(None)
    );
}
