//! The JSON of `quiver replay`.

use serde_json::{Value, json};

use super::{Examined, UnreadableLog};
use crate::analysis::game_report;

pub(super) const SHAPE: &str = r#"The object of --json; "first" and "second" are the players by turn order:
  {"matches": [MATCH], "unreadable": [{"place", "error"}],
   "held": all were read and agree}
MATCH:
  {"number", "place", "id", "players": [name, name],
   "board": "8x8", "start": "formula", "left" or null,
   "position": the FEN of the start, "plies": plies played,
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

fn one_match(Examined { number, place, checked, review }: &Examined) -> Value {
    let mut object = game_report(checked, review.as_ref());
    (object["number"], object["place"]) = (json!(number), json!(place));
    object
}
