//! The JSON report about a game that was checked against the rules. `quiver replay --json` prints
//! it, and the page of `match_page` reads it.

use amazons::{Move, Position, Side};
use quiver_bot::{Coordinates, Start};
use serde::Serialize;

use crate::analysis::{BySide, Loss, Review, ReviewPoint};
use crate::formats::{CheckedGame, Disagreement};
use crate::games::{EndKind, GameEnd, MatchGame, SideTimes, TurnFacts};
use crate::words::{self, Language};

/// The report about a game. `quiver replay --help` describes its fields.
#[derive(Serialize)]
pub(crate) struct GameReport<'a> {
    id: Option<&'a str>,
    players: &'a [Option<String>; 2],
    board: String,
    start: Option<Start>,
    position: &'a Position,
    plies: usize,
    pub(super) result: String,
    winner: Option<Side>,
    ending: &'static str,
    failure: Option<LoserReport<'a>>,
    held: bool,
    agreed_counts: usize,
    disagreements: &'a [Disagreement],
    notes: &'a [String],
    times: BySide<Option<SideTimes>>,
    moves: Vec<MoveReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<ReviewReport<'a>>,
}

#[derive(Serialize)]
struct LoserReport<'a> {
    ply: usize,
    side: Side,
    kind: EndKind,
    detail: Option<&'a str>,
    message: String,
}

#[derive(Serialize)]
struct MoveReport<'a> {
    ply: usize,
    side: Side,
    r#move: Move,
    numbers: [i64; 6],
    counts: [u64; 2],
    #[serde(flatten)]
    turn: TurnReport<'a>,
}

#[derive(Serialize)]
pub(crate) struct TurnReport<'a> {
    time_ms: Option<f64>,
    memory_mb: Option<f64>,
    debug: Option<&'a str>,
    keep_running: bool,
}

#[derive(Serialize)]
struct ReviewReport<'a> {
    positions: Vec<ReviewPointReport<'a>>,
    losses: Vec<Loss>,
    turning_point: Option<usize>,
}

#[derive(Serialize)]
struct ReviewPointReport<'a> {
    ply: usize,
    #[serde(flatten)]
    point: &'a ReviewPoint,
}

impl<'a> GameReport<'a> {
    pub(crate) fn new(checked: &'a CheckedGame, review: Option<&'a Review>) -> GameReport<'a> {
        let CheckedGame { game, disagreements, agreed_counts } = checked;
        let end = game.end.as_ref();
        let plies = game.plies().len();
        let moves = (1..).zip(game.plies().iter().zip(&game.positions()[1..]));
        let failure = |end: &'a GameEnd| LoserReport {
            ply: plies + 1,
            side: !end.winner,
            kind: end.kind,
            detail: end.detail.as_deref(),
            message: words::loser_action(end, Language::English),
        };
        GameReport {
            id: game.event.as_deref(),
            players: &game.players,
            board: game.start().size().to_string(),
            start: Start::of(game.start()),
            position: game.start(),
            plies,
            result: words::result(game, Language::English),
            winner: game.winner(),
            ending: match end.map(|end| end.kind) {
                None => "open",
                Some(EndKind::NoMove) => "no-move",
                Some(EndKind::Proven | EndKind::Unstated) => "awarded",
                Some(EndKind::Disputed) => "disputed",
                Some(_) => "failed",
            },
            failure: end.filter(|end| end.kind.is_fault_or_resignation()).map(failure),
            held: disagreements.is_empty(),
            agreed_counts: *agreed_counts,
            disagreements,
            notes: &game.notes,
            times: BySide::of(|side| game.times(side)),
            moves: moves
                .map(|(ply, (played, after))| MoveReport {
                    ply,
                    side: !after.to_move(),
                    r#move: played.played,
                    numbers: Coordinates::from(played.played).0,
                    counts: Side::BOTH.map(|side| after.count_legal_moves(side)),
                    turn: TurnReport::of(&played.facts),
                })
                .collect(),
            analysis: review.map(|review| ReviewReport {
                positions: (0..)
                    .zip(&review.points)
                    .map(|(ply, point)| ReviewPointReport { ply, point })
                    .collect(),
                losses: review.losses(),
                turning_point: game.winner().and_then(|winner| review.turning_point(!winner)),
            }),
        }
    }
}

impl<'a> TurnReport<'a> {
    pub(crate) fn of(facts: &'a TurnFacts) -> TurnReport<'a> {
        TurnReport {
            time_ms: facts.milliseconds(),
            memory_mb: facts.megabytes,
            debug: Some(facts.comment.as_str()).filter(|debug| !debug.is_empty()),
            keep_running: facts.kept_running,
        }
    }
}
