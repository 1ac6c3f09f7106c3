//! What `quiver replay --json` prints.

use serde_json::{Value, json};

use super::{Examined, UnreadableLog};
use crate::analysis::Review;
use crate::botzone::{CheckedGame, Disagreement};
use crate::game::{Coordinates, EndKind, Game, Language, Ply, Position, Side, Start};

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
   "failure": null or {"ply", "side", "kind", "detail", "message"}; kinds are
     those of match records: "illegal-move", "malformed", "time", "crash", "stall",
     "memory", "output", "forfeit", and "resignation",
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
    let held = unreadable.is_empty() && matches.iter().all(|one| one.checked.disagreements.is_empty());
    let failures: Vec<_> = unreadable
        .iter()
        .map(|UnreadableLog { place, error }| json!({"place": place, "error": error}))
        .collect();
    let matches: Vec<_> = matches.iter().map(one_match).collect();
    json!({"matches": matches, "unreadable": failures, "held": held})
}

fn one_match(one: &Examined) -> Value {
    let Examined { number, place, checked, review } = one;
    let CheckedGame { game, disagreements, agreed_counts } = checked;
    let mut object = json!({
        "number": number,
        "place": place,
        "id": game.event,
        "players": game.players,
        "board": game.start().size().to_string(),
        "start": Start::of(game.start()).map(|start| start.to_string()),
        "plies": game.plies().len(),
        "result": game.result(Language::English),
        "winner": game.winner().map(|side| side.to_string()),
        "ending": match game.end.as_ref().map(|end| end.kind) {
            None => "open",
            Some(EndKind::NoMove) => "no-move",
            Some(EndKind::Proven | EndKind::Unstated) => "awarded",
            Some(EndKind::Disputed) => "disputed",
            Some(_) => "failed",
        },
        "failure": failure(game),
        "held": disagreements.is_empty(),
        "agreed_counts": agreed_counts,
        "disagreements": disagreements.iter().map(disagreement).collect::<Vec<_>>(),
        "times": {"first": game.times(Side::First), "second": game.times(Side::Second)},
        "moves": moves(game),
    });
    if let Some(review) = review {
        object["analysis"] = analysis(game, review);
    }
    object
}

fn failure(game: &Game) -> Value {
    let end = game.end.as_ref().filter(|end| end.kind.is_failure());
    end.map_or(Value::Null, |end| {
        json!({
            "ply": game.plies().len() + 1,
            "side": (!end.winner).to_string(),
            "kind": end.kind,
            "detail": end.detail,
            "message": end.action(Language::English),
        })
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

/// The plies, counted from 1.
fn moves(game: &Game) -> Vec<Value> {
    let after = game.positions().into_iter().skip(1);
    (1..)
        .zip(game.plies().iter().zip(after))
        .map(|(ply, (played, after))| one_move(ply, played, &after))
        .collect()
}

fn one_move(ply: usize, played: &Ply, after: &Position) -> Value {
    let facts = &played.facts;
    json!({
        "ply": ply,
        "side": (!after.to_move()).to_string(),
        "move": played.full.to_string(),
        "numbers": Coordinates::from(played.full).0,
        "counts": Side::BOTH.map(|side| after.count_full_moves(side)),
        "time_ms": facts.milliseconds(),
        "memory_mb": facts.megabytes,
        "debug": Some(&facts.comment).filter(|debug| !debug.is_empty()),
        "keep_running": facts.kept_running,
    })
}

fn analysis(game: &Game, review: &Review) -> Value {
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
    let loser = game.winner().map(|winner| !winner);
    json!({
        "positions": positions.collect::<Vec<_>>(),
        "losses": losses.collect::<Vec<_>>(),
        "turning_point": loser.and_then(|loser| review.turning_point(loser)),
    })
}
