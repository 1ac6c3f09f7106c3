//! What `quiver replay --json` prints.

use serde_json::{Value, json};

use super::{Examined, UnreadableLog};
use crate::analysis::Review;
use crate::botzone::match_log::describe::result;
use crate::botzone::match_log::{
    Disagreement, Failure, LoggedAnswer, MatchEnding, MatchLog, Replay, side_times,
};
use crate::game::{Coordinates, Side};

/// The shape of the object, for `--help`.
pub(super) const SHAPE: &str = r#"The object of --json; "first" and "second" are the players by turn order:
  {"matches": [MATCH], "unreadable": [{"place", "error"}],
   "held": all were read and agree}
MATCH:
  {"number", "place", "id", "players": [name, name],
   "board": "8x8", "start": "formula", "left" or null, "plies": plies played,
   "result": a sentence, "winner": "first", "second" or null,
   "ending": "no-move", "failed", "awarded" (to "winner", though the
     loser had moves left), "open" or "disputed",
   "failure": null or {"ply", "side", "kind", "message", "verdict"},
   "held", "agreed_counts",
   "disagreements": [{"kind", "ply", "message"}],
     those of the kind "counts" with "logged" and "counted": [first, second],
   "times": {"first": TIMES, "second": TIMES}, TIMES being null or
     {"turns", "mean_ms", "worst_ms", "worst_ply", "peak_mb"},
   "moves": [{"ply", "side", "move", "numbers": [x0, y0, x1, y1, x2, y2],
     "counts": legal moves after it [first, second],
     "time_ms", "memory_mb", "debug", "keep_running"}]}
With --analyze a MATCH also has
   "analysis":
     {"positions": [{"ply": plies played, "first": its chance of winning,
        "proven", "best", "playouts"}],
      "losses": [{"ply", "side", "move", "best", "lost"}], dearest first,
      "turning_point": the ply after which the loser stayed below 0.5, or null}

Exit status: 0 every log agrees with the rules, 1 one does not, 2 one cannot be read.
"#;

/// The whole object.
pub(super) fn report(matches: &[Examined], unreadable: &[UnreadableLog]) -> Value {
    let held = unreadable.is_empty() && matches.iter().all(|one| one.replay.disagreements.is_empty());
    let failures: Vec<_> = unreadable
        .iter()
        .map(|UnreadableLog { place, error }| json!({"place": place, "error": format!("{error:#}")}))
        .collect();
    let matches: Vec<_> = matches.iter().map(one_match).collect();
    json!({"matches": matches, "unreadable": failures, "held": held})
}

fn one_match(one: &Examined) -> Value {
    let Examined { number, place, log, replay, review } = one;
    let mut object = json!({
        "number": number,
        "place": place,
        "id": log.id,
        "players": log.players,
        "board": replay.size.to_string(),
        "start": replay.start.map(|start| start.to_string()),
        "plies": replay.plies.len(),
        "result": result(log, replay),
        "winner": replay.ending.winner().map(|side| side.to_string()),
        "ending": match replay.ending {
            MatchEnding::NoMove { .. } => "no-move",
            MatchEnding::Failed { .. } => "failed",
            MatchEnding::Awarded { .. } => "awarded",
            MatchEnding::Open { .. } => "open",
            MatchEnding::Disputed { .. } => "disputed",
        },
        "failure": failure(replay),
        "held": replay.disagreements.is_empty(),
        "agreed_counts": replay.agreed_counts,
        "disagreements": replay.disagreements.iter().map(disagreement).collect::<Vec<_>>(),
        "times": {"first": times(log, Side::First), "second": times(log, Side::Second)},
        "moves": (1..=replay.plies.len()).map(|ply| played(log, replay, ply)).collect::<Vec<_>>(),
    });
    if let Some(review) = review {
        object["analysis"] = analysis(replay, review);
    }
    object
}

fn failure(replay: &Replay) -> Value {
    let MatchEnding::Failed { loser, failure } = &replay.ending else { return Value::Null };
    let kind = match failure {
        Failure::Program(_) => "program",
        Failure::Unreadable(_) => "unreadable",
        Failure::Missing => "missing",
        Failure::NoSquares(_) => "no-squares",
        Failure::Illegal { .. } => "illegal",
        Failure::Resigned => "resigned",
        Failure::Judged(_) => "judged",
    };
    let verdict = match failure {
        Failure::Program(verdict) => Some(verdict),
        _ => None,
    };
    json!({
        "ply": replay.plies.len() + 1,
        "side": loser.to_string(),
        "kind": kind,
        "message": failure.to_string(),
        "verdict": verdict,
    })
}

fn disagreement(one: &Disagreement) -> Value {
    let mut object = json!({"kind": one.kind, "ply": one.ply, "message": one.message});
    if let Some([logged, counted]) = one.counts {
        object["logged"] = json!(logged);
        object["counted"] = json!(counted);
    }
    object
}

fn times(log: &MatchLog, side: Side) -> Value {
    side_times(log, side).map_or(Value::Null, |times| {
        json!({
            "turns": times.turns,
            "mean_ms": times.mean_ms,
            "worst_ms": times.worst_ms,
            "worst_ply": times.worst_ply,
            "peak_mb": times.peak_mb,
        })
    })
}

/// A ply, counted from 1.
fn played(log: &MatchLog, replay: &Replay, ply: usize) -> Value {
    let (full, after) = (replay.plies[ply - 1], &replay.positions[ply]);
    let answer: Option<&LoggedAnswer> = log.turns.get(ply - 1).and_then(|turn| turn.answer.as_ref());
    json!({
        "ply": ply,
        "side": after.to_move().other().to_string(),
        "move": full.to_string(),
        "numbers": Coordinates::from(full).0,
        "counts": Side::BOTH.map(|side| after.count_full_moves(side)),
        "time_ms": answer.and_then(|answer| answer.time_ms),
        "memory_mb": answer.and_then(|answer| answer.memory_mb),
        "debug": answer.and_then(|answer| answer.debug.as_ref()),
        "keep_running": answer.is_some_and(|answer| answer.keep_running),
    })
}

fn analysis(replay: &Replay, review: &Review) -> Value {
    let positions = review.points.iter().enumerate().map(|(ply, point)| {
        json!({
            "ply": ply,
            "first": point.first,
            "proven": point.proven,
            "best": point.best.map(|best| best.to_string()),
            "playouts": point.playouts,
        })
    });
    let losses = review.losses().into_iter().map(|loss| {
        json!({
            "ply": loss.ply,
            "side": loss.side.to_string(),
            "move": loss.played.to_string(),
            "best": loss.best.map(|best| best.to_string()),
            "lost": loss.lost,
        })
    });
    let loser = replay.ending.winner().map(Side::other);
    json!({
        "positions": positions.collect::<Vec<_>>(),
        "losses": losses.collect::<Vec<_>>(),
        "turning_point": loser.and_then(|loser| review.turning_point(loser)),
    })
}
