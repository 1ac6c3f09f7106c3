//! The JSON of `quiver replay`.

use serde_json::{Value, json};

use super::{Examined, UnreadableLog};
use crate::analysis::{BySide, Review};
use crate::botzone::{CheckedGame, Disagreement};
use crate::game::{Coordinates, EndKind, Game, Language, Ply, Position, Side, Start};

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

pub(super) fn report(matches: &[Examined], unreadable: &[UnreadableLog]) -> Value {
    let held = unreadable.is_empty() && matches.iter().all(|one| one.checked.disagreements.is_empty());
    json!({
        "matches": matches.iter().map(one_match).collect::<Vec<_>>(),
        "unreadable": unreadable,
        "held": held,
    })
}

fn one_match(one: &Examined) -> Value {
    let Examined { number, place, checked, review } = one;
    let CheckedGame { game, disagreements, agreed_counts } = checked;
    let end = game.end.as_ref();
    let positions = game.positions();
    let moves = (1..).zip(game.plies().iter().zip(&positions[1..]));
    let mut object = json!({
        "number": number,
        "place": place,
        "id": game.event,
        "players": game.players,
        "board": game.start().size().to_string(),
        "start": Start::of(game.start()),
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
        object["analysis"] = analysis(game, review);
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

fn one_move(ply: usize, Ply { full, facts }: &Ply, after: &Position) -> Value {
    json!({
        "ply": ply,
        "side": !after.to_move(),
        "move": full,
        "numbers": Coordinates::from(*full).0,
        "counts": Side::BOTH.map(|side| after.count_full_moves(side)),
        "time_ms": facts.milliseconds(),
        "memory_mb": facts.megabytes,
        "debug": Some(&facts.comment).filter(|debug| !debug.is_empty()),
        "keep_running": facts.kept_running,
    })
}

fn analysis(game: &Game, review: &Review) -> Value {
    let mut positions = json!(review.points);
    for (ply, position) in positions.as_array_mut().into_iter().flatten().enumerate() {
        position["ply"] = ply.into();
    }
    let turning_point = game.winner().and_then(|winner| review.turning_point(!winner));
    json!({"positions": positions, "losses": review.losses(), "turning_point": turning_point})
}
