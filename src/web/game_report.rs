//! A checked game as JSON for programs, and for the page of matches.

use serde_json::{Value, json};

use crate::analysis::{BySide, Review};
use crate::botzone::{CheckedGame, Disagreement};
use amazons::{Coordinates, EndKind, Language, PlayedMove, Position, Side, Start, TurnFacts};

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
