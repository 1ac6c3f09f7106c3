//! Finds the cause of a bot's illegal move by playing more games with the bot. The bot may track a
//! wrong board, or it may fail only while its process is kept running between turns.

use std::ops::Range;

use amazons::{Move, Position, Side, Square, SquareContent};

use super::defect::{Cause, DefectKind};
use super::game::play;
use super::{BotGame, CheckPlan, Defect, Scenario};
use crate::contest::{LaunchError, ask_for_move};
use crate::games::{EndKind, Game};
use crate::words::Language;
use quiver_bot::Coordinates;

/// The games that are played to find the cause of an illegal move. A game is given by the bot's
/// side and a seed of the opponent's moves. In most games the bot is the second player, because it
/// must then read a move before its first turn.
const PROBE_GAMES: [(Side, u64); 4] =
    [(Side::Second, 3), (Side::First, 3), (Side::Second, 4), (Side::Second, 5)];

/// Seeds of the opponent's moves in games where the bot moves second and plays only one turn.
const FIRST_TURN_SEEDS: Range<u64> = 6..20;

/// A cause is reported only if the bot makes illegal moves in at least this many games.
const MIN_ILLEGAL_GAMES: usize = 3;

const MAX_PROBE_PLIES: usize = 40;

/// A common bug of bots: the bot has a wrong board, or writes another move than it chose. For a
/// written move, the check computes which move a bot with this bug chose, and on which board. The
/// bug explains the written move if the chosen move is legal on the computed board. The bug is the
/// cause of illegal moves if it explains every move of the bot in several games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BotBug {
    /// The bot exchanges x and y in the moves that it writes.
    WritesExchanged,
    /// The bot exchanges x and y when it reads the opponent's moves and, if `own` is true, its own
    /// earlier moves. If an exchanged move is illegal on the bot's board, the bot applies the move
    /// if `tolerant` is true, and skips it otherwise.
    ReadsExchanged { own: bool, tolerant: bool },
    /// The bot applies no move to its board except the opponent's last move.
    OnlyLast,
    /// The bot does not apply the opponent's moves to its board.
    NoRequests,
    /// The bot does not apply its own moves to its board.
    NoResponses,
    /// The bot does not burn the squares of arrows on its board.
    NoArrows,
}

impl BotBug {
    /// All bugs, the most specific first. The first bug that explains all moves is the cause.
    const ALL: [BotBug; 9] = [
        BotBug::WritesExchanged,
        BotBug::ReadsExchanged { own: false, tolerant: true },
        BotBug::ReadsExchanged { own: false, tolerant: false },
        BotBug::ReadsExchanged { own: true, tolerant: true },
        BotBug::ReadsExchanged { own: true, tolerant: false },
        BotBug::OnlyLast,
        BotBug::NoRequests,
        BotBug::NoResponses,
        BotBug::NoArrows,
    ];

    /// True if this bug explains all moves that the bot played for `side` in a game. If `illegal`
    /// is given, the bug must also explain the illegal move of this defect.
    fn fits(self, game: &Game, side: Side, illegal: Option<&Defect>) -> bool {
        let own = (0..game.len()).filter(|&ply| game.positions()[ply].to_move() == side);
        let moves = own.map(|ply| (ply, game.move_to(ply + 1)));
        let last = illegal.map(|illegal| (game.len(), illegal.answered.and_then(Coordinates::full_move)));
        moves.chain(last).all(|(ply, given)| {
            let Some(given) = given else { return false };
            let meant = if self == BotBug::WritesExchanged { with_xy_exchanged(given) } else { given };
            self.board(game, ply).play(meant).is_ok()
        })
    }

    /// True if this bug explains an illegal move and all earlier moves of the bot in the game.
    fn explains(self, illegal: &Defect) -> bool {
        let game = illegal.game.as_ref();
        game.is_some_and(|game| self.fits(game, game.position().to_move(), Some(illegal)))
    }

    /// Returns the board that a bot with this bug has before the ply with index `ply`.
    fn board(self, game: &Game, ply: usize) -> Position {
        let side = game.positions()[ply].to_move();
        let mut board = *game.start();
        if self == BotBug::WritesExchanged {
            return game.positions()[ply];
        }
        for (number, &full) in game.moves()[..ply].iter().enumerate() {
            let is_own = game.positions()[number].to_move() == side;
            match self {
                BotBug::NoRequests if !is_own => continue,
                BotBug::NoResponses if is_own => continue,
                BotBug::OnlyLast if number + 1 < ply => continue,
                _ => {}
            }
            let read = match self {
                BotBug::ReadsExchanged { own, .. } if own || !is_own => with_xy_exchanged(full),
                _ => full,
            };
            let strict = matches!(self, BotBug::ReadsExchanged { tolerant: false, .. });
            if strict && board.with_mover(game.positions()[number].to_move()).play(read).is_err() {
                continue;
            }
            apply(&mut board, read, self != BotBug::NoArrows);
        }
        board.with_mover(side)
    }

    fn cause(self, game: &Game, language: Language) -> Cause {
        let (english, chinese) = match self {
            BotBug::WritesExchanged => (
                "the bot writes x and y exchanged: with x and y exchanged back, its moves are legal",
                "它输出时 x 与 y 互换了：互换后走法合法",
            ),
            BotBug::ReadsExchanged { .. } => ("the bot reads x and y exchanged", "它读入时 x 与 y 互换了"),
            BotBug::OnlyLast => (
                "the bot ignores all requests and responses except the last request: its moves are legal on a board \
                 with the last request alone",
                "它的走法只符合最后一个 request 之后的棋盘：它忽略了之前的 requests 和 responses",
            ),
            BotBug::NoRequests => (
                "the bot ignores the requests: its moves are legal on a board without its opponent's moves",
                "它的走法符合没有对方走法的棋盘：它忽略了 requests",
            ),
            BotBug::NoResponses => (
                "the bot ignores the responses: its moves are legal on a board without its own moves",
                "它的走法符合没有己方走法的棋盘：它忽略了 responses",
            ),
            BotBug::NoArrows => (
                "the bot does not burn the squares of arrows: its moves are legal on a board without arrows",
                "它的走法符合没有箭的棋盘：它没有把箭的格子标为障碍",
            ),
        };
        let key = language.pick(english, chinese).to_owned();
        let last = game.moves().last().copied().filter(|_| matches!(self, BotBug::ReadsExchanged { .. }));
        let example = last.map_or(String::new(), |last| {
            let seen = with_xy_exchanged(last);
            language.pick(
                format!(": its opponent played {last}, but the bot moves as if the move were {seen}"),
                format!("：对方走了 {last}，它却按 {seen} 应对"),
            )
        });
        Cause { sentence: format!("{key}{example}"), key }
    }
}

fn with_xy_exchanged(full: Move) -> Move {
    let turned = |square: Square| Square::new(square.y(), square.x()).unwrap_or(square);
    Move { from: turned(full.from), to: turned(full.to), arrow: turned(full.arrow) }
}

/// Plays a move without checking whether the move is legal, as a simple bot does.
fn apply(board: &mut Position, full: Move, burns: bool) {
    let moved = board.content(full.from).unwrap_or(SquareContent::Empty);
    let arrow = if burns { SquareContent::Burnt } else { SquareContent::Empty };
    for (square, content) in [(full.from, SquareContent::Empty), (full.to, moved), (full.arrow, arrow)] {
        // If a square is off the board after x and y were exchanged, `put` changes nothing.
        let _ = board.put(square, content);
    }
}

/// Finds the cause of a defect: gives the failed turn to a new process of the bot, and plays more
/// games. Returns the defect with its cause. If the bot fails for the same cause after fewer plies
/// in another game, returns the defect of that game instead. If a bug that is not in `known_bugs`
/// is the cause, adds this bug to `known_bugs`. The caller sets `fails_in_new_process` if the bot
/// also failed in a game with a new process for each turn.
pub(super) fn explain_defect(
    plan: &CheckPlan<'_>,
    mut defect: Defect,
    fails_in_new_process: bool,
    known_bugs: &mut Vec<BotBug>,
) -> Result<Defect, LaunchError> {
    if !fails_in_new_process && new_process_succeeds(plan, &defect)? {
        let words = plan.language.pick(
            "the bot fails only while it is kept running: a new process gives a legal move in this turn; does \
             your bot keep its board between turns?",
            "只有长时运行时出错：用新进程询问同一局面时走法合法；程序是否在回合之间保存了棋盘？",
        );
        let cause = defect.cause.take();
        let sentence =
            cause.as_ref().map_or(words.to_owned(), |cause| format!("{}; {words}", cause.sentence));
        defect.cause = Some(Cause { key: cause.map_or("kept".to_owned(), |cause| cause.key), sentence });
    }
    let unexplained = defect.kind == DefectKind::ILLEGAL && defect.cause.is_none();
    if !unexplained {
        return Ok(defect);
    }
    if let Some(&bug) = known_bugs.iter().find(|bug| bug.explains(&defect)) {
        defect.cause = defect.game.as_ref().map(|game| bug.cause(game, plan.language));
        return Ok(defect);
    }
    let mut bugs = BotBug::ALL.to_vec();
    bugs.retain(|bug| bug.explains(&defect));
    let mut cases = vec![defect];
    for (side, seed) in PROBE_GAMES {
        if bugs.is_empty() {
            break;
        }
        let scenario = Scenario { side, ..cases[0].scenario };
        for BotGame { game, turns, .. } in play(plan, &scenario, &[seed], MAX_PROBE_PLIES)? {
            let illegal = turns.defects.into_iter().find(|defect| defect.kind == DefectKind::ILLEGAL);
            bugs.retain(|bug| bug.fits(&game, side, illegal.as_ref()));
            cases.extend(illegal);
        }
    }
    let Some(&bug) = bugs.first().filter(|_| cases.len() >= MIN_ILLEGAL_GAMES) else {
        return Ok(cases.swap_remove(0));
    };
    let plies = |case: &Defect| case.game.as_ref().map_or(0, Game::len);
    let clearest = cases.into_iter().min_by_key(plies).expect("the cases begin with the defect");
    let clearest = find_first_turn_defect(plan, bug, clearest)?;
    // A bot that writes x and y exchanged fails in the first turn of some game. Without such a
    // failure, the bug is not reported as the cause.
    let is_shown = bug != BotBug::WritesExchanged || clearest.turn == 1;
    let game = clearest.game.as_ref().filter(|_| is_shown);
    known_bugs.extend(game.map(|_| bug));
    let cause = game.map(|game| bug.cause(game, plan.language));
    Ok(Defect { cause, ..clearest })
}

/// If a bot with `bug` reads or writes x and y exchanged, plays games of one turn until the bot
/// fails because of this bug. Returns this turn's defect, or `clearest` if no game shows the bug.
fn find_first_turn_defect(
    plan: &CheckPlan<'_>,
    bug: BotBug,
    clearest: Defect,
) -> Result<Defect, LaunchError> {
    let exchanges = matches!(bug, BotBug::WritesExchanged | BotBug::ReadsExchanged { .. });
    let scenario = Scenario { side: Side::Second, ..clearest.scenario };
    for seed in FIRST_TURN_SEEDS.take_while(|_| exchanges && clearest.turn > 1) {
        let games = play(plan, &scenario, &[seed], 2)?;
        let mut defects = games.into_iter().flat_map(|game| game.turns.defects);
        if let Some(shown) = defects.find(|defect| bug.explains(defect)) {
            return Ok(shown);
        }
    }
    Ok(clearest)
}

/// True if the bot failed while it was kept running, but a new process of the bot gives a legal
/// move in the same turn.
fn new_process_succeeds(plan: &CheckPlan<'_>, defect: &Defect) -> Result<bool, LaunchError> {
    use EndKind::{Crash, IllegalMove, Malformed, Stall};
    let Defect { kind: DefectKind::Fault(IllegalMove | Malformed | Crash | Stall), .. } = defect else {
        return Ok(false);
    };
    let Some(game) = defect.game.as_ref().filter(|_| defect.scenario.kept && defect.turn > 1) else {
        return Ok(false);
    };
    let bot = plan.bot(defect.scenario.form);
    Ok(ask_for_move(&bot, game, plan.context())?.0.is_ok())
}
