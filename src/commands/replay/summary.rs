//! What `quiver replay` found, for people: one match at length, several in a line each.

use std::fmt::Write as _;

use super::Examined;
use crate::analysis::Review;
use crate::game::{Fen, Game, GameEnd, Language, Side, Start};
use crate::messages::{counted, excerpt};

/// Disagreements listed of each of several matches.
const LISTED: usize = 3;

/// Plies listed as the dearest.
const DEAREST: usize = 5;

/// The whole text; empty if there is no match.
pub(super) fn text(matches: &[Examined]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, so that nothing is lost with the results here and below.
    match matches {
        [] => {}
        [one] => long(&mut out, one),
        several => {
            for one in several {
                short(&mut out, one);
            }
            totals(&mut out, several);
        }
    }
    out
}

fn heading(one: &Examined) -> String {
    let id = one
        .checked
        .game
        .event
        .as_deref()
        .map(|id| format!(", match {}", excerpt(id, usize::MAX)))
        .unwrap_or_default();
    format!("{}{id}", excerpt(&one.place, usize::MAX))
}

fn long(out: &mut String, one: &Examined) {
    let game = &one.checked.game;
    let _ = writeln!(out, "{}", heading(one));
    let start = match Start::of(game.start()) {
        None => format!("from {}", Fen(*game.start())),
        Some(start) => format!("{start} start"),
    };
    let _ = writeln!(out, "  {} board, {start}", game.start().size());
    let _ = writeln!(out, "  {}", game.result(Language::English));
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
    if let Some(GameEnd { turn, .. }) = game.end.as_ref().filter(|end| !end.turn.comment.is_empty()) {
        let _ = writeln!(out, "  its last words: {}", excerpt(&turn.comment, usize::MAX));
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
    if let Some(review) = &one.review {
        table(out, one, review);
        dearest(out, one, review);
    }
}

fn short(out: &mut String, one: &Examined) {
    let game = &one.checked.game;
    let _ = writeln!(out, "{} ({}): {}", heading(one), game.start().size(), game.result(Language::English));
    disagreements(out, one, LISTED);
    if let Some(review) = &one.review {
        dearest(out, one, review);
    }
}

fn disagreements(out: &mut String, one: &Examined, most: usize) {
    let all = &one.checked.disagreements;
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "  DISAGREES with the rules:");
    for disagreement in all.iter().take(most) {
        let _ = writeln!(out, "    {disagreement}");
    }
    if all.len() > most {
        let _ = writeln!(out, "    and {} more", all.len() - most);
    }
}

/// Every ply with the chances after it.
fn table(out: &mut String, one: &Examined, review: &Review) {
    let _ = writeln!(out, "\n  ply  side    move          first wins   cost");
    if let Some(start) = review.points.first() {
        let _ = writeln!(out, "    0{:24}{:>5.1} %", "", start.first * 100.0);
    }
    for (index, (full, point)) in
        one.checked.game.moves().iter().zip(review.points.iter().skip(1)).enumerate()
    {
        let (ply, side) = (index + 1, (!point.to_move).to_string());
        let proven = if point.proven { "proven" } else { "" };
        let cost = review.loss(ply).filter(|loss| loss.lost >= 0.05);
        let cost = cost.map(|loss| format!("{:>5.1} %", loss.lost * 100.0)).unwrap_or_default();
        let line = format!(
            "  {ply:>3}  {side:<6}  {:<12}  {:>5.1} % {proven:<6} {cost}",
            full.to_string(),
            point.first * 100.0
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

/// Where the game was lost: the plies that cost most, and the ply after which the loser stayed
/// below one half.
fn dearest(out: &mut String, one: &Examined, review: &Review) {
    let losses = review.losses();
    for loss in losses.iter().take(DEAREST).filter(|loss| loss.lost >= 0.05) {
        let better = match loss.best.filter(|best| *best != loss.played) {
            Some(best) => format!("; the engine prefers {best}"),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "  ply {}, {}: {} cost {:.0} %{better}",
            loss.ply,
            loss.side,
            loss.played,
            loss.lost * 100.0
        );
    }
    let game = &one.checked.game;
    let Some(loser) = game.winner().map(|winner| !winner) else { return };
    if let Some(ply) = review.turning_point(loser) {
        let loser = game.player(loser, Language::English);
        let _ = writeln!(out, "  lost at ply {ply}: from there on {loser} stands below 50 %");
    }
}

fn totals(out: &mut String, several: &[Examined]) {
    let won = |winner| several.iter().filter(|one| one.checked.game.winner() == winner).count();
    let (first, second) = (won(Some(Side::First)), won(Some(Side::Second)));
    let wrong = several.iter().filter(|one| !one.checked.disagreements.is_empty()).count();
    let failed = |game: &Game| game.end.as_ref().is_some_and(|end| end.kind.is_failure());
    let failed = several.iter().filter(|one| failed(&one.checked.game)).count();
    let _ = writeln!(
        out,
        "{} matches: the first player won {first}, the second {second}, {} without a winner; {failed} ended by a \
         failure; {wrong} disagree with the rules",
        several.len(),
        won(None)
    );
}
