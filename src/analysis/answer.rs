//! Answers: a search's report as a JSON object, whose fields `protocol.md` describes. A checked game
//! as a JSON object, for programs and for the page of matches.

use amazons::{Coordinates, EndKind, Language, PlayedMove, Position, Side, Start, TurnFacts};
use serde_json::{Map, Value, json};

use super::fields::FieldError;
use super::query::AnswerOptions;
use super::territory::TerritoryMap;
use super::{BySide, Review};
use crate::botzone::{CheckedGame, Disagreement};
use crate::normal_distribution::QUANTILE;
use crate::search::{Candidate, Report, StopReason};

/// The answer to a query about a position: the result of the search, or its state so far; `None`
/// where the side to move has no move.
pub(crate) fn answer(position: &Position, report: Option<&Report>, options: &AnswerOptions) -> Value {
    let to_move = position.to_move();
    // A side without a move has lost.
    let value = report.map_or(0.0, |report| report.value);
    let mut shown = report.map_or_else(Vec::new, candidates);
    shown.retain(|candidate| options.lists(candidate.full));
    // The chosen move, or the most visited of those that may be named.
    let best = report.map(|report| report.best).filter(|&best| options.lists(best));
    let moves = shown.iter().map(|shown| {
        json!({
            "move": shown.full,
            "visits": shown.visits,
            "value": rounded(shown.value),
            "prior": rounded(shown.prior),
            "static_value": rounded(shown.static_value),
            "line": shown.line,
        })
    });
    let infos = (0..).zip(&shown).map(|(order, shown)| move_info(order, shown, options.line_visits));
    let searching = report.is_some_and(|report| report.stop == StopReason::Searching);
    let number = |of: fn(&Report) -> u64| report.map_or(0, of);
    let mut object = json!({
        "searching": searching,
        "to_move": to_move,
        "winner": position.winner(),
        "value": rounded(value),
        "first": rounded(if to_move == Side::First { value } else { 1.0 - value }),
        "ending": report.and_then(|report| report.ending).map(|ending| {
            json!({"winner": ending.winner, "margin": ending.margin})
        }),
        "proven": report.is_none_or(|report| report.proven),
        "best": best.or_else(|| shown.first().map(|candidate| candidate.full)),
        "line": report.map_or(&[][..], |report| &report.principal_variation),
        "moves": moves.collect::<Vec<_>>(),
        "isDuringSearch": searching,
        "moveInfos": infos.collect::<Vec<_>>(),
        "rootInfo": {
            "winrate": rounded(value),
            "rawWinrate": report.and_then(|report| report.network_value).map(rounded),
            "visits": number(|report| report.playouts + report.reused),
            "currentPlayer": if to_move == Side::First { "B" } else { "W" },
        },
        "playouts": number(|report| report.playouts),
        "reused": number(|report| report.reused),
        "depth": number(|report| report.depth.into()),
        "time": report.map_or(0.0, |report| rounded(report.time.as_secs_f64())),
        "memory": number(|report| report.memory as u64),
        "stop": report.map_or_else(|| "no move".to_owned(), |report| report.stop.to_string()),
    });
    if options.policy {
        let priors = shown.iter().map(|shown| (shown.full.to_string(), json!(rounded(shown.prior))));
        object["policy"] = Map::from_iter(priors).into();
    }
    if options.territory {
        object["territory"] = json!(TerritoryMap::of(position));
    }
    object
}

/// The moves that were looked at, the chosen one first, the others by their visits.
pub(crate) fn candidates(report: &Report) -> Vec<&Candidate> {
    let mut candidates: Vec<&Candidate> = report.candidates.iter().collect();
    candidates.sort_by_key(|candidate| candidate.full != report.best);
    candidates
}

/// A move in KataGo's words.
fn move_info(order: usize, candidate: &Candidate, line_visits: bool) -> Value {
    let (value, visits) = (candidate.value, candidate.visits.max(1) as f64);
    let error = QUANTILE * (value * (1.0 - value) / visits).max(0.0).sqrt();
    let mut info = json!({
        "move": candidate.full,
        "order": order,
        "visits": candidate.visits,
        "winrate": rounded(value),
        "lcb": rounded((value - error).max(0.0)),
        "prior": rounded(candidate.prior),
        "pv": candidate.line,
    });
    if line_visits {
        info["pvVisits"] = json!(candidate.line_visits);
    }
    info
}

/// Rounds to the digits that are significant.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

pub(crate) fn refusal(id: Option<&str>, error: &FieldError) -> Value {
    let field = Some(&error.field).filter(|field| !field.is_empty());
    json!({"id": id, "error": error.message, "field": field})
}

/// A game, the contradictions of its source and, if it was reviewed, what the engine saw in it.
/// `quiver replay --help` describes the fields.
pub(crate) fn game_report(checked: &CheckedGame, review: Option<&Review>) -> Value {
    let CheckedGame { game, disagreements, agreed_counts } = checked;
    let end = game.end.as_ref();
    let positions = game.positions();
    let moves = (1..).zip(game.plies().iter().zip(&positions[1..]));
    let mut object = json!({
        "id": game.event,
        "players": game.players,
        "board": game.start().size().to_string(),
        "start": Start::of(game.start()),
        "position": game.start(),
        "plies": game.plies().len(),
        "result": game.result(Language::English),
        "winner": game.winner(),
        "ending": match end.map(|end| end.kind) {
            None => "open",
            Some(EndKind::NoMove) => "no-move",
            Some(EndKind::Proven | EndKind::Unstated) => "awarded",
            Some(EndKind::Disputed) => "disputed",
            Some(_) => "failed",
        },
        "failure": end.filter(|end| end.kind.is_failure()).map(|end| json!({
            "ply": game.plies().len() + 1,
            "side": !end.winner,
            "kind": end.kind,
            "detail": end.detail,
            "message": end.action(Language::English),
        })),
        "held": disagreements.is_empty(),
        "agreed_counts": agreed_counts,
        "disagreements": disagreements.iter().map(disagreement).collect::<Vec<_>>(),
        "times": BySide::of(|side| game.times(side)),
        "moves": moves.map(|(ply, (played, after))| one_move(ply, played, after)).collect::<Vec<_>>(),
    });
    if let Some(review) = review {
        let mut positions = json!(review.points);
        for (ply, position) in positions.as_array_mut().into_iter().flatten().enumerate() {
            position["ply"] = ply.into();
        }
        let turning_point = game.winner().and_then(|winner| review.turning_point(!winner));
        object["analysis"] =
            json!({"positions": positions, "losses": review.losses(), "turning_point": turning_point});
    }
    object
}

fn disagreement(one: &Disagreement) -> Value {
    let mut object = json!({"kind": one.kind, "ply": one.ply, "message": one.message});
    if let Some([logged, counted]) = one.counts {
        (object["logged"], object["counted"]) = (json!(logged), json!(counted));
    }
    object
}

fn one_move(ply: usize, PlayedMove { full, facts }: &PlayedMove, after: &Position) -> Value {
    let mut object = turn_report(facts);
    object["ply"] = ply.into();
    object["side"] = json!(!after.to_move());
    object["move"] = json!(full);
    object["numbers"] = json!(Coordinates::from(*full).0);
    object["counts"] = json!(Side::BOTH.map(|side| after.count_legal_moves(side)));
    object
}

/// The cost of a turn, and the words of the player.
pub(crate) fn turn_report(facts: &TurnFacts) -> Value {
    json!({
        "time_ms": facts.milliseconds(),
        "memory_mb": facts.megabytes,
        "debug": Some(&facts.comment).filter(|debug| !debug.is_empty()),
        "keep_running": facts.kept_running,
    })
}
