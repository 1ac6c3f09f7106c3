//! One game of a bot that is watched, against random moves.

use std::fmt;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::defect::{of_fault, of_turn};
use super::{Defect, DefectKind, Plan};
use crate::botzone::request::Form;
use crate::contest::contestant::{Budget, GameContext, GameInPlay};
use crate::contest::fault::{LaunchError, PlayerFault};
use crate::contest::program::{Bot, Launch};
use crate::contest::seeds;
use crate::game::{EndKind, FullMove, Game, GameEnd, Ply, Position, Side, Size, Start, TurnFacts};

/// What the opponents' moves of two matches follow from; one match alone has the first.
pub(super) const SEEDS: [u64; 2] = [1, 2];

/// How a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What the bot is asked in.
    pub form: Form,
    /// Whether a bot that asks for it is kept running; otherwise each turn has a process of its
    /// own.
    pub kept: bool,
    /// The bot's side.
    pub side: Side,
    /// The side of the board.
    pub board: usize,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.form == Form::Json { "JSON" } else { "simplified text" };
        let process = if self.kept { "kept running" } else { "one process a turn" };
        write!(f, "{form}, {process}, {1} player, {0}x{0}", self.board, self.side)
    }
}

/// A finished game of the bot.
#[derive(Clone, Debug)]
pub struct Trial {
    /// How it was played.
    pub scenario: Scenario,
    /// The position before the first move.
    start: Position,
    /// The moves of both.
    pub moves: Vec<FullMove>,
    /// Wall time of each of the bot's moves.
    times: Vec<Duration>,
    /// The winner.
    pub winner: Side,
    /// What was found; the last of them may have ended the game.
    pub defects: Vec<Defect>,
    /// Whether the bot asked to be kept running.
    pub asks_to_be_kept: bool,
    /// The slowest turn by the wall.
    pub slowest: Duration,
    /// The most CPU time of a turn.
    pub most_cpu: Duration,
    /// The most resident memory, in bytes.
    pub most_memory: u64,
}

impl Trial {
    /// How many moves the bot made.
    #[must_use]
    pub fn own_moves(&self) -> usize {
        self.times.len()
    }

    /// The game with its times and what was found.
    #[must_use]
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        let own = self.scenario.side.index();
        let plies = self.moves.iter().enumerate().map(|(index, &full)| {
            let seconds = (index % 2 == own).then(|| self.times.get(index / 2).map(Duration::as_secs_f64));
            Ply { full, facts: TurnFacts { seconds: seconds.flatten(), ..TurnFacts::default() } }
        });
        // The moves were played as they came.
        let _ = game.extend(plies);
        let mut players = ["random".to_owned(), "random".to_owned()];
        "the bot".clone_into(&mut players[own]);
        game.players = players.map(Some);
        game.event = Some(self.scenario.to_string());
        let lost = self.defects.last().filter(|_| game.position().winner().is_none());
        game.end = Some(match lost {
            Some(defect) => {
                let kind = match defect.kind {
                    DefectKind::IllegalMove => EndKind::IllegalMove,
                    DefectKind::Malformed => EndKind::Malformed,
                    DefectKind::Crash => EndKind::Crash,
                    DefectKind::Late => EndKind::Time,
                    DefectKind::Stall => EndKind::Stall,
                    _ => EndKind::Forfeit,
                };
                GameEnd { detail: Some(defect.message.clone()), ..GameEnd::new(self.winner, kind) }
            }
            None => GameEnd::at(game.position(), self.winner),
        });
        game
    }
}

/// A game in progress.
struct TrialMatch<'a> {
    bot: Bot<'a>,
    board: GameInPlay,
    rng: Xoshiro256PlusPlus,
    trial: Trial,
    over: bool,
}

impl<'a> TrialMatch<'a> {
    fn new(
        scenario: &Scenario,
        plan: &Plan<'_>,
        launch: &Launch<'a>,
        context: &GameContext<'a>,
        seed: u64,
    ) -> TrialMatch<'a> {
        // The command has checked that the board has a start.
        let size = Size::square(scenario.board).ok();
        let start = size.and_then(|size| Start::Formula.position(size).ok());
        let start = start.unwrap_or_else(|| unreachable!("a board without a start"));
        let trial = Trial {
            scenario: *scenario,
            start,
            moves: Vec::new(),
            times: Vec::new(),
            winner: Side::First,
            defects: Vec::new(),
            asks_to_be_kept: false,
            slowest: Duration::ZERO,
            most_cpu: Duration::ZERO,
            most_memory: 0,
        };
        TrialMatch {
            bot: Bot::observed(scenario.form, *launch, *context),
            board: GameInPlay::new(start),
            rng: Xoshiro256PlusPlus::seed_from_u64(seeds::mix(&[plan.seed, seed])),
            trial,
            over: false,
        }
    }

    /// Plays on until the bot has made a move or the game is over.
    fn round(&mut self, plan: &Plan<'_>) -> Result<(), LaunchError> {
        let side = self.trial.scenario.side;
        while !self.over {
            if let Some(winner) = self.board.position.winner() {
                (self.trial.winner, self.over) = (winner, true);
                break;
            }
            if self.board.position.to_move() == side {
                return self.own_turn(plan);
            }
            if let Some(full) = self.board.position.random_full_move(&mut self.rng) {
                self.board.advance(full);
                self.trial.moves.push(full);
            }
        }
        Ok(())
    }

    fn own_turn(&mut self, plan: &Plan<'_>) -> Result<(), LaunchError> {
        let first_turn = self.trial.times.is_empty();
        let time = if first_turn { plan.limits.first_time } else { plan.limits.time };
        let budget = Budget { time: Some(time), ..Budget::default() };
        let seen = self.bot.observe(&self.board, budget, self.trial.scenario.kept)?;
        let trial = &mut self.trial;
        trial.asks_to_be_kept |= seen.asks_to_be_kept;
        trial.slowest = trial.slowest.max(seen.usage.wall);
        trial.most_cpu = trial.most_cpu.max(seen.usage.cpu);
        trial.most_memory = trial.most_memory.max(seen.usage.memory);
        let mut found = Vec::new();
        let legal = match &seen.answer {
            Ok(full) => {
                let position = self.board.position.play(*full).map(|_| *full);
                position.map_err(|why| PlayerFault::illegal((*full).into(), format!("{full}: {why}")))
            }
            Err(fault) => Err(fault.clone()),
        };
        // A turn without an answer is late by what ended it.
        let waited_for = |reason: EndKind| matches!(reason, EndKind::Time | EndKind::Stall);
        if !legal.as_ref().is_err_and(|fault| waited_for(fault.reason)) {
            found = of_turn(&seen, first_turn, &plan.limits);
        }
        let lost = found.iter().any(|(kind, _)| *kind == DefectKind::Late);
        match legal {
            Ok(full) if !lost => {
                self.board.advance(full);
                trial.moves.push(full);
                trial.times.push(seen.usage.wall);
            }
            Ok(_) => self.over = true,
            Err(fault) => {
                found.push(of_fault(&fault));
                self.over = true;
            }
        }
        if self.over {
            trial.winner = !trial.scenario.side;
        }
        let turn = trial.times.len() + usize::from(self.over);
        let scenario = trial.scenario.to_string();
        let defect = |(kind, message)| Defect {
            kind,
            scenario: scenario.clone(),
            turn,
            message,
            input: seen.input.clone(),
            standard_error: seen.complaint.clone(),
        };
        trial.defects.extend(found.into_iter().map(defect));
        Ok(())
    }
}

/// Plays a game to its end; the opponent's moves follow from `seed` and the seed of the plan.
pub(super) fn play(
    scenario: &Scenario,
    plan: &Plan<'_>,
    launch: &Launch<'_>,
    context: &GameContext<'_>,
    seed: u64,
) -> Result<Trial, LaunchError> {
    let mut game = TrialMatch::new(scenario, plan, launch, context, seed);
    while !game.over && !context.interrupt.is_set() {
        game.round(plan)?;
    }
    Ok(game.trial)
}

/// Plays two matches one after the other, then both turn by turn as the site does. Returns a defect
/// if one match disturbs the other: a fault that neither has alone, or other moves of a bot that
/// otherwise repeats its moves. A fault that a match has alone is returned unchanged.
pub(super) fn leak(
    scenario: &Scenario,
    plan: &Plan<'_>,
    launch: &Launch<'_>,
    context: &GameContext<'_>,
) -> Result<Option<Defect>, LaunchError> {
    let mut alone = Vec::new();
    for seed in SEEDS {
        // Twice, because moves show a leak only if the bot always plays the same.
        let once = play(scenario, plan, launch, context, seed)?;
        let again = play(scenario, plan, launch, context, seed)?;
        let mut defects = once.defects.iter().chain(&again.defects);
        if let Some(defect) = defects.find(|defect| defect.kind.loses()) {
            return Ok(Some(defect.clone()));
        }
        alone.push((once.moves, again.moves));
    }
    let mut matches = SEEDS.map(|seed| TrialMatch::new(scenario, plan, launch, context, seed));
    while matches.iter().any(|game| !game.over) && !context.interrupt.is_set() {
        for game in &mut matches {
            game.round(plan)?;
        }
    }
    let together = matches.map(|game| game.trial);
    let mut defects = together.iter().flat_map(|trial| &trial.defects);
    if let Some(defect) = defects.find(|defect| defect.kind.loses() && defect.kind != DefectKind::Late) {
        let message =
            format!("with two matches at a time, and not with one: {}: {}", defect.kind, defect.message);
        return Ok(Some(Defect { kind: DefectKind::Leak, message, ..defect.clone() }));
    }
    let repeating = alone.iter().zip(&together).filter(|((once, again), _)| once == again);
    let differing = repeating.filter_map(|((once, _), beside)| {
        let ply = once.iter().zip(&beside.moves).position(|(alone, beside)| alone != beside)?;
        Some((ply, once[ply], beside.moves[ply]))
    });
    Ok(differing.min_by_key(|&(ply, ..)| ply).map(|(ply, alone, beside)| Defect {
        kind: DefectKind::Leak,
        scenario: scenario.to_string(),
        turn: ply / 2 + 1,
        message: format!("twice alone it plays {alone}, and {beside} while a second match runs"),
        input: String::new(),
        standard_error: String::new(),
    }))
}
