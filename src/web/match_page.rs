//! One self-contained page to step through matches: no network, no name or message of a player read as markup.
//!
//! Its content security policy allows the one script and the one style sheet in it, by their hashes, and nothing
//! else. Without JavaScript it still shows the final position and the result.

use serde::Serialize;

use super::text::{escape, fill, policy_hash, script_json};
use super::{board, graph};
use crate::analysis::Review;
use crate::botzone::match_log::describe::{player, result};
use crate::botzone::match_log::{LoggedAnswer, MatchEnding, MatchLog, Replay, side_times};
use crate::game::Side;

const TEMPLATE: &str = include_str!("assets/match.html");
const STYLE: &str = include_str!("assets/match.css");
const SCRIPT: &str = include_str!("assets/match.js");

/// A match to show.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What to call it.
    pub title: &'a str,
    /// Its log.
    pub log: &'a MatchLog,
    /// The log replayed.
    pub replay: &'a Replay,
    /// The match as the engine sees it, if it was asked.
    pub review: Option<&'a Review>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is nothing to show.
    #[error("a page of no matches: expected at least one")]
    Empty,
    /// The data of the page cannot be written.
    #[error("the page's data cannot be written")]
    Json(#[from] serde_json::Error),
}

/// What the script reads of a match. Pairs are names and values to list.
#[derive(Serialize)]
struct Match {
    title: String,
    result: String,
    board: String,
    graph: Option<String>,
    players: Vec<(String, String)>,
    verdict: String,
    disagreements: Vec<String>,
    points: Vec<Point>,
}

/// What the script reads of a position.
#[derive(Serialize)]
struct Point {
    pieces: String,
    label: String,
    text: String,
    /// The move that led here, as the list shows it.
    #[serde(rename = "move")]
    full: String,
    cost: Option<String>,
    facts: Vec<(&'static str, String)>,
    debug: Option<String>,
}

/// The whole page.
///
/// # Errors
/// If there is no match, or one that cannot be written as JSON.
pub fn page(matches: &[Shown<'_>]) -> Result<String, PageError> {
    let first = matches.first().ok_or(PageError::Empty)?;
    let style = [STYLE, board::STYLE, graph::STYLE].concat();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        policy_hash(SCRIPT),
        policy_hash(&style),
    );
    let data = script_json(&matches.iter().map(data).collect::<Vec<_>>())?;
    let position = first.replay.positions.last().ok_or(PageError::Empty)?;
    Ok(fill(
        TEMPLATE,
        &[
            ("policy", &policy),
            ("title", &escape(first.title)),
            ("result", &escape(&result(first.log, first.replay))),
            ("style", &style),
            ("board", &board::frame(position, first.replay.plies.last().copied())),
            ("data", &data),
            ("script", SCRIPT),
        ],
    ))
}

fn data(shown: &Shown<'_>) -> Match {
    let Shown { title, log, replay, review } = *shown;
    let disagreements: Vec<_> = replay.disagreements.iter().map(ToString::to_string).collect();
    let start = replay.positions.first();
    Match {
        title: title.to_owned(),
        result: result(log, replay),
        board: start.map(|start| board::frame(start, None)).unwrap_or_default(),
        graph: review.map(graph::svg),
        players: Side::BOTH.map(|side| (player(log, side), times(log, side))).into(),
        verdict: match disagreements.len() {
            0 => format!("✓ The log agrees with the rules ({} board).", replay.size),
            1 => "✗ The log disagrees with the rules:".to_owned(),
            count => format!("✗ The log disagrees with the rules in {count} places:"),
        },
        disagreements,
        points: (0..replay.positions.len()).map(|ply| point(shown, ply)).collect(),
    }
}

/// The position after so many plies.
fn point(shown: &Shown<'_>, ply: usize) -> Point {
    let position = &shown.replay.positions[ply];
    let last = ply.checked_sub(1).map(|index| shown.replay.plies[index]);
    let answer = ply.checked_sub(1).and_then(|index| shown.log.turns.get(index)?.answer.as_ref());
    let review = shown.review.and_then(|review| Some((review, review.points.get(ply)?)));
    let loss = review.and_then(|(review, _)| review.loss(ply));
    let count = |side| position.count_full_moves(side).to_string();
    let mut facts = Vec::new();
    if let (Some(full), Some(mover)) = (last, answer.map(|answer| answer.side)) {
        facts.push(("Move", format!("{full}, {}", player(shown.log, mover))));
    }
    facts.extend(answer.into_iter().flat_map(costs));
    facts.push(("Legal moves", format!("first {}, second {}", count(Side::First), count(Side::Second))));
    if let Some((_, seen)) = review {
        let proven = if seen.proven { " (proven)" } else { "" };
        facts.push(("First’s chance", format!("{}{proven}", percent(seen.first))));
    }
    if let Some(loss) = loss {
        let better = match loss.best.filter(|best| *best != loss.played) {
            Some(best) => format!(", the engine prefers {best}"),
            None => String::new(),
        };
        facts.push(("Cost", format!("{}{better}", percent(loss.lost))));
    }
    let total = shown.replay.plies.len();
    if ply == total {
        facts.extend(failure(shown));
    }
    let text = match (last, answer) {
        (Some(full), Some(answer)) => format!("Ply {ply} of {total}: {} player, {full}", answer.side),
        _ => format!("Start, {total} plies to come"),
    };
    Point {
        pieces: board::pieces(position, last),
        label: board::describe(position, last),
        text,
        full: last.map(|full| full.to_string()).unwrap_or_default(),
        cost: loss
            .filter(|loss| loss.lost >= graph::WORTH_A_MARK)
            .map(|loss| format!("−{}", percent(loss.lost))),
        facts,
        debug: answer.and_then(|answer| answer.debug.clone()).filter(|debug| !debug.is_empty()),
    }
}

/// What the loser did after the last ply, where that ended the match.
fn failure(shown: &Shown<'_>) -> Vec<(&'static str, String)> {
    let MatchEnding::Failed { loser, failure } = &shown.replay.ending else { return Vec::new() };
    let answer = shown.log.turns.get(shown.replay.plies.len()).and_then(|turn| turn.answer.as_ref());
    let mut facts = vec![("Then", format!("{} {failure}", player(shown.log, *loser)))];
    let spent: Vec<_> = answer.into_iter().flat_map(costs).map(|(_, cost)| cost).collect();
    if !spent.is_empty() {
        facts.push(("That took", spent.join(", ")));
    }
    if let Some(debug) = answer.and_then(|answer| answer.debug.clone()).filter(|debug| !debug.is_empty()) {
        facts.push(("Last words", debug));
    }
    facts
}

fn costs(answer: &LoggedAnswer) -> Vec<(&'static str, String)> {
    let time = answer.time_ms.map(|time| ("Time", format!("{time:.0} ms")));
    let memory = answer.memory_mb.map(|memory| ("Memory", format!("{memory:.0} MB")));
    time.into_iter().chain(memory).collect()
}

fn times(log: &MatchLog, side: Side) -> String {
    side_times(log, side).map_or_else(
        || "no times in the log".to_owned(),
        |times| {
            let (mean, worst, ply) = (times.mean_ms, times.worst_ms, times.worst_ply);
            format!("mean {mean:.0} ms, worst {worst:.0} ms at ply {ply}")
        },
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::match_log::check;

    #[test]
    fn a_page_of_nothing_is_refused_and_a_page_of_a_start_is_one() {
        assert!(matches!(page(&[]), Err(PageError::Empty)));
        let log = MatchLog::default();
        let html = page(&[Shown { title: "<i>", log: &log, replay: &check(&log), review: None }]).unwrap();
        assert!(html.contains("<h1 id=\"title\">&lt;i&gt;</h1>") && !html.contains("{{"), "{html}");
    }

    #[test]
    fn no_asset_can_end_its_element() {
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(![STYLE, board::STYLE, graph::STYLE].concat().contains("</"));
    }
}
