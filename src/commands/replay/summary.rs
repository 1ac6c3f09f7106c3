//! The results of `quiver replay` as text: one match in detail, or several in a few lines each.

use std::fmt::Write as _;

use amazons::Side;
use quiver_bot::Start;

use super::ExaminedMatch;
use crate::games::MatchGame;
use crate::messages::{counted, excerpt};
use crate::words::{self, Language};

const MAX_DISAGREEMENTS: usize = 3;
const MAX_COSTLY_PLIES: usize = 5;

/// Returns the text about these matches. Writing to a string cannot fail, so this module ignores
/// the results of `write!`.
pub(super) fn text(matches: &[ExaminedMatch]) -> String {
    let mut out = String::new();
    match matches {
        [] => {}
        [one] => match_details(&mut out, one),
        several => list(&mut out, several),
    }
    out
}

fn heading(one: &ExaminedMatch) -> String {
    let id = one.checked.game.event.as_ref().map(|id| format!(", match {}", excerpt(id, usize::MAX)));
    excerpt(&one.place, usize::MAX) + &id.unwrap_or_default()
}

fn match_details(out: &mut String, one: &ExaminedMatch) {
    let game = &one.checked.game;
    let begin = game.start();
    let start = Start::of(begin).map_or_else(|| format!("from {begin}"), |start| format!("{start} start"));
    let result = words::result(game, Language::English);
    let _ = writeln!(out, "{}\n  {} board, {start}\n  {result}", heading(one), begin.size());
    for side in Side::BOTH {
        let Some(times) = game.times(side) else { continue };
        let memory = times.peak_mb.map(|peak| format!(", at most {peak:.0} MB")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {}: {}, mean {:.0} ms, worst {:.0} ms at ply {}{memory}",
            words::player_with_side(game, side, Language::English),
            counted(times.turns, "turn", "turns"),
            times.mean_ms,
            times.worst_ms,
            times.worst_ply
        );
    }
    if let Some(end) = game.end.as_ref().filter(|end| !end.turn.comment.is_empty()) {
        let _ = writeln!(out, "  last comment: {}", excerpt(&end.turn.comment, usize::MAX));
    }
    disagreements(out, one, usize::MAX);
    if one.checked.disagreements.is_empty() {
        let counts = match one.checked.agreed_counts {
            0 => "the log has no counts of legal moves".to_owned(),
            1 => "the one count of legal moves in the log is right".to_owned(),
            count => format!("the {count} counts of legal moves in the log are right"),
        };
        let _ = writeln!(out, "  agrees with the rules; {counts}");
    }
    notes(out, one);
    table(out, one);
    costliest_plies(out, one);
}

fn notes(out: &mut String, one: &ExaminedMatch) {
    out.extend(one.checked.game.notes.iter().map(|note| format!("  note: {note}\n")));
}

fn disagreements(out: &mut String, one: &ExaminedMatch, most: usize) {
    let all = &one.checked.disagreements;
    if !all.is_empty() {
        out.push_str("  DISAGREES with the rules:\n");
    }
    all.iter().take(most).for_each(|disagreement| *out += &format!("    {disagreement}\n"));
    if all.len() > most {
        *out += &format!("    and {} more\n", all.len() - most);
    }
}

fn table(out: &mut String, one: &ExaminedMatch) {
    let Some(review) = &one.review else { return };
    out.push_str("\n  ply  side    move          first wins   cost\n");
    for (ply, point) in review.points.iter().enumerate() {
        let side = if ply > 0 { (!point.to_move).to_string() } else { String::new() };
        let played = one.checked.game.move_to(ply).map(|played| played.to_string()).unwrap_or_default();
        let proven = if point.proven && ply > 0 { "proven" } else { "" };
        let cost = review.loss(ply).filter(|loss| loss.judgement().is_some());
        let cost = cost.map(|loss| format!("{:>5.1} %", loss.lost * 100.0)).unwrap_or_default();
        let first = point.first * 100.0;
        let line = format!("  {ply:>3}  {side:<6}  {played:<12}  {first:>5.1} % {proven:<6} {cost}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

fn costliest_plies(out: &mut String, one: &ExaminedMatch) {
    let (game, Some(review)) = (&one.checked.game, &one.review) else { return };
    for loss in review.losses().iter().take(MAX_COSTLY_PLIES).filter(|loss| loss.judgement().is_some()) {
        let better = loss.best.map(|best| format!("; the engine prefers {best}")).unwrap_or_default();
        let (ply, side, played, lost) = (loss.ply, loss.side, loss.played, loss.lost * 100.0);
        let _ = writeln!(out, "  ply {ply}, {side}: {played} cost {lost:.0} %{better}");
    }
    let loser = game.winner().map(|winner| !winner);
    if let Some((ply, loser)) = loser.and_then(|loser| Some((review.turning_point(loser)?, loser))) {
        let loser = words::player_with_side(game, loser, Language::English);
        let _ = writeln!(out, "  lost at ply {ply}: after it {loser} never had 50 % again");
    }
}

fn list(out: &mut String, several: &[ExaminedMatch]) {
    for one in several {
        let game = &one.checked.game;
        let (size, result) = (game.start().size(), words::result(game, Language::English));
        let _ = writeln!(out, "{} ({size}): {result}", heading(one));
        disagreements(out, one, MAX_DISAGREEMENTS);
        notes(out, one);
        costliest_plies(out, one);
    }
    let count = |holds: &dyn Fn(&ExaminedMatch) -> bool| several.iter().filter(|one| holds(one)).count();
    let won = |winner| count(&|one| one.checked.game.winner() == winner);
    let wrong = count(&|one| !one.checked.disagreements.is_empty());
    let failed =
        count(&|one| one.checked.game.end.as_ref().is_some_and(|end| end.kind.is_fault_or_resignation()));
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
