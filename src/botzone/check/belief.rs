//! Causes of illegal moves that the check finds by further games: a wrong board that the bot seems
//! to assume, and a bot that fails only while it is kept running.

use std::ops::Range;

use amazons::{Move, Position, Side, Square, SquareContent};

use super::defect::{Cause, DefectKind};
use super::{BotGame, CheckPlan, Defect, Scenario};
use crate::contest::{ALARM, GameConditions, GameContext, LaunchError, ask};
use crate::games::{EndKind, Game};
use crate::words::Language;
use quiver_bot::Coordinates;

/// The bot's side and the match number of the games that are played to find the cause of an illegal
/// move. Most are games of the second player, whose first turn shows best how a bot reads.
const PROBES: [(Side, u64); 4] = [(Side::Second, 3), (Side::First, 3), (Side::Second, 4), (Side::Second, 5)];

/// The numbers of further matches. The bot plays only its first turn of each, as the second player.
const FIRST_TURN_PROBES: Range<u64> = 6..20;

/// A cause is reported only if at least this many games have an illegal move.
const MIN_ILLEGAL_GAMES: usize = 3;

/// The largest number of plies of a game that is played to find a cause.
const MAX_PROBE_PLIES: usize = 40;

/// A common error that gives a bot a wrong board. It explains a bot if all moves of the bot in
/// several games, including the illegal ones, are legal on that wrong board. Exchanged output is
/// reported only for an illegal first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belief {
    /// The bot exchanges x and y in its output.
    WritesExchanged,
    /// The bot exchanges x and y in the requests that it reads, and if `own`, also in its own
    /// responses. If `tolerant`, it also plays moves on its board that are illegal there.
    ReadsExchanged { own: bool, tolerant: bool },
    /// The bot plays only the last request on its board.
    OnlyLast,
    /// The bot does not play its opponent's moves on its board.
    NoRequests,
    /// The bot does not play its own moves on its board.
    NoResponses,
    /// The bot does not burn the squares of arrows.
    NoArrows,
}

impl Belief {
    /// All beliefs, from the most special to the most general. The first that fits is the cause.
    const ALL: [Belief; 9] = [
        Belief::WritesExchanged,
        Belief::ReadsExchanged { own: false, tolerant: true },
        Belief::ReadsExchanged { own: false, tolerant: false },
        Belief::ReadsExchanged { own: true, tolerant: true },
        Belief::ReadsExchanged { own: true, tolerant: false },
        Belief::OnlyLast,
        Belief::NoRequests,
        Belief::NoResponses,
        Belief::NoArrows,
    ];

    /// True if all moves of a side in a game are legal on the board that this belief gives the bot.
    /// If `illegal` is a defect, its move must be legal there too.
    fn fits(self, game: &Game, side: Side, illegal: Option<&Defect>) -> bool {
        let own = (0..game.len()).filter(|&ply| game.positions()[ply].to_move() == side);
        let moves = own.map(|ply| (ply, game.move_to(ply + 1)));
        let last = illegal.map(|illegal| (game.len(), illegal.answered.and_then(Coordinates::full_move)));
        moves.chain(last).all(|(ply, given)| {
            let Some(given) = given else { return false };
            let meant = if self == Belief::WritesExchanged { exchanged(given) } else { given };
            self.board(game, ply).play(meant).is_ok()
        })
    }

    /// True if this belief explains an illegal move and all moves before it.
    fn explains(self, illegal: &Defect) -> bool {
        let game = illegal.game.as_ref();
        game.is_some_and(|game| self.fits(game, game.position().to_move(), Some(illegal)))
    }

    /// The board that this belief gives the bot before a ply, which counts from 0.
    fn board(self, game: &Game, ply: usize) -> Position {
        let side = game.positions()[ply].to_move();
        let mut board = *game.start();
        if self == Belief::WritesExchanged {
            return game.positions()[ply];
        }
        for (number, &full) in game.moves()[..ply].iter().enumerate() {
            let is_own = game.positions()[number].to_move() == side;
            match self {
                Belief::NoRequests if !is_own => continue,
                Belief::NoResponses if is_own => continue,
                Belief::OnlyLast if number + 1 < ply => continue,
                _ => {}
            }
            let read = match self {
                Belief::ReadsExchanged { own, .. } if own || !is_own => exchanged(full),
                _ => full,
            };
            let strict = matches!(self, Belief::ReadsExchanged { tolerant: false, .. });
            if strict && board.with_mover(game.positions()[number].to_move()).play(read).is_err() {
                continue;
            }
            apply(&mut board, read, self != Belief::NoArrows);
        }
        board.with_mover(side)
    }

    fn cause(self, game: &Game, language: Language) -> Cause {
        let (english, chinese) = match self {
            Belief::WritesExchanged => (
                "it writes x and y exchanged: the other way round its moves are legal",
                "它输出时 x 与 y 互换了：互换后走法合法",
            ),
            Belief::ReadsExchanged { .. } => ("it reads x and y exchanged", "它读入时 x 与 y 互换了"),
            Belief::OnlyLast => (
                "its moves are legal on a board with the last request alone: it ignores the requests and responses \
                 before",
                "它的走法只符合最后一个 request 之后的棋盘：它忽略了之前的 requests 和 responses",
            ),
            Belief::NoRequests => (
                "its moves are legal on a board without its opponent's moves: it ignores the requests",
                "它的走法符合没有对方走法的棋盘：它忽略了 requests",
            ),
            Belief::NoResponses => (
                "its moves are legal on a board without its own moves: it ignores the responses",
                "它的走法符合没有己方走法的棋盘：它忽略了 responses",
            ),
            Belief::NoArrows => (
                "its moves are legal on a board without arrows: it does not burn their squares",
                "它的走法符合没有箭的棋盘：它没有把箭的格子标为障碍",
            ),
        };
        let key = language.pick(english, chinese).to_owned();
        let last = game.moves().last().copied().filter(|_| matches!(self, Belief::ReadsExchanged { .. }));
        let example = last.map_or(String::new(), |last| {
            let seen = exchanged(last);
            language.pick(
                format!(": its opponent played {last}, and it moves as if that were {seen}"),
                format!("：对方走了 {last}，它却按 {seen} 应对"),
            )
        });
        Cause { text: format!("{key}{example}"), key }
    }
}

/// The move with x and y of each square exchanged.
fn exchanged(full: Move) -> Move {
    let turned = |square: Square| Square::new(square.y(), square.x()).unwrap_or(square);
    Move { from: turned(full.from), to: turned(full.to), arrow: turned(full.arrow) }
}

/// Plays a move without a check of its legality, as a simple bot does.
fn apply(board: &mut Position, full: Move, burns: bool) {
    let moved = board.content(full.from).unwrap_or(SquareContent::Empty);
    let arrow = if burns { SquareContent::Burnt } else { SquareContent::Empty };
    for (square, content) in [(full.from, SquareContent::Empty), (full.to, moved), (full.arrow, arrow)] {
        // On a board that is not square, exchanged squares may be off the board. They are ignored.
        let _ = board.put(square, content);
    }
}

impl CheckPlan<'_> {
    /// Finds the cause of a defect by asking the bot again: in a new process, and in further games.
    /// Returns the defect with its cause, in the game that shows the cause best. `known` are the
    /// beliefs of earlier defects; a new one is added. If the bot also fails with one process a
    /// turn (`fails_alone`), long running is not the cause.
    pub(super) fn explain(
        &self,
        mut defect: Defect,
        fails_alone: bool,
        known: &mut Vec<Belief>,
    ) -> Result<Defect, LaunchError> {
        if !fails_alone && self.plays_right_afresh(&defect)? {
            let words = self.language.pick(
                "only the kept form fails: asked afresh it gives a legal move here; does your bot keep its board \
                 between turns?",
                "只有长时运行时出错：用新进程询问同一局面时走法合法；程序是否在回合之间保存了棋盘？",
            );
            let cause = defect.cause.take();
            let text = cause.as_ref().map_or(words.to_owned(), |cause| format!("{}; {words}", cause.text));
            defect.cause = Some(Cause { key: cause.map_or("kept".to_owned(), |cause| cause.key), text });
        }
        let unexplained = defect.kind == DefectKind::ILLEGAL && defect.cause.is_none();
        if !unexplained {
            return Ok(defect);
        }
        if let Some(&belief) = known.iter().find(|belief| belief.explains(&defect)) {
            defect.cause = defect.game.as_ref().map(|game| belief.cause(game, self.language));
            return Ok(defect);
        }
        let mut beliefs = Belief::ALL.to_vec();
        beliefs.retain(|belief| belief.explains(&defect));
        let mut cases = vec![defect];
        for (side, number) in PROBES {
            if beliefs.is_empty() {
                break;
            }
            let scenario = Scenario { side, ..cases[0].scenario };
            for BotGame { game, turns, .. } in self.play(&scenario, &[number], MAX_PROBE_PLIES)? {
                let illegal = turns.defects.into_iter().find(|defect| defect.kind == DefectKind::ILLEGAL);
                beliefs.retain(|belief| belief.fits(&game, side, illegal.as_ref()));
                cases.extend(illegal);
            }
        }
        let Some(&belief) = beliefs.first().filter(|_| cases.len() >= MIN_ILLEGAL_GAMES) else {
            return Ok(cases.swap_remove(0));
        };
        let plies = |case: &Defect| case.game.as_ref().map_or(0, Game::len);
        let clearest = cases.into_iter().min_by_key(plies).expect("the cases begin with the defect");
        let clearest = self.first_turn(belief, clearest)?;
        // A bot whose earlier turns are legal does not exchange x and y in its output.
        let is_shown = belief != Belief::WritesExchanged || clearest.turn == 1;
        let game = clearest.game.as_ref().filter(|_| is_shown);
        known.extend(game.map(|_| belief));
        let cause = game.map(|game| belief.cause(game, self.language));
        Ok(Defect { cause, ..clearest })
    }

    /// Returns a defect in a first turn that shows this exchange of x and y, if further games have
    /// one, and else `clearest`.
    fn first_turn(&self, belief: Belief, clearest: Defect) -> Result<Defect, LaunchError> {
        let exchanges = matches!(belief, Belief::WritesExchanged | Belief::ReadsExchanged { .. });
        let scenario = Scenario { side: Side::Second, ..clearest.scenario };
        for number in FIRST_TURN_PROBES.take_while(|_| exchanges && clearest.turn > 1) {
            let games = self.play(&scenario, &[number], 2)?;
            let mut defects = games.into_iter().flat_map(|game| game.turns.defects);
            if let Some(shown) = defects.find(|defect| belief.explains(defect)) {
                return Ok(shown);
            }
        }
        Ok(clearest)
    }

    /// True if a bot that failed while it was kept running gives a legal move in the same turn when
    /// it is asked in a new process.
    fn plays_right_afresh(&self, defect: &Defect) -> Result<bool, LaunchError> {
        use EndKind::{Crash, IllegalMove, Malformed, Stall};
        let Defect { kind: DefectKind::Fault(IllegalMove | Malformed | Crash | Stall), .. } = defect else {
            return Ok(false);
        };
        let Some(game) = defect.game.as_ref().filter(|_| defect.scenario.kept && defect.turn > 1) else {
            return Ok(false);
        };
        let bot = self.bot(defect.scenario.form);
        Ok(ask(&bot, game, self.context())?.0.is_ok())
    }

    /// The conditions and the seed of all games of the check.
    pub(super) fn context(&self) -> GameContext<'_> {
        let conditions =
            GameConditions { grace: ALARM, measured: Some(self.memory), ..GameConditions::default() };
        GameContext::new(conditions, self.seed, self.run)
    }
}
