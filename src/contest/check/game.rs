//! One game of a bot that is watched, against random moves.

use std::fmt;
use std::time::Duration;

use super::defect::{of_fault, of_turn};
use super::{ALARM, Cause, CheckPlan, Defect, DefectKind, JudgeLimits};
use crate::botzone::request::Form;
use crate::contest::contestant::{Allowance, Conditions, GameContext, RunningSearches, TurnResult};
use crate::contest::entrant::Entrant;
use crate::contest::fault::{LaunchError, PlayerFault};
use crate::contest::fixtures::Fixture;
use crate::contest::game_record::GameRecord;
use crate::contest::referee::{RefereedGame, TurnObserver};
use crate::contest::seeds;
use crate::contest::spec::{PlayerSpec, Protocol};
use crate::game::{EndKind, FullMove, Game, Language, Side, Size, Start};
use crate::players::{EngineOptions, PlayerKind};

/// Numbers of matches, from which the opponents' moves follow; one match alone has the first.
const MATCHES: [u64; 2] = [1, 2];

/// The way in which a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The form of requests and answers.
    pub form: Form,
    /// True if a bot that asks for it is kept running; otherwise each turn has a process of its own.
    pub kept: bool,
    /// The bot's side.
    pub side: Side,
    /// The side of the board.
    pub board: usize,
}

impl Scenario {
    /// The scenario in words.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (board, json, kept) = (self.board, self.form == Form::Json, self.kept);
        if language == Language::English {
            let form = if json { "JSON" } else { "simplified text" };
            let process = if kept { "kept running" } else { "one process a turn" };
            return format!("{form}, {process}, {} player, {board}x{board}", self.side);
        }
        let form = if json { "JSON" } else { "简单交互" };
        let process = if kept { "长时运行" } else { "每回合一个进程" };
        let side = if self.side == Side::First { "先手" } else { "后手" };
        format!("{form}，{process}，{side}，{board}x{board}")
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::English))
    }
}

/// A finished game of the bot.
#[derive(Clone, Debug)]
pub struct BotGame {
    /// The way in which it was played.
    pub scenario: Scenario,
    /// The referee's record.
    pub record: GameRecord,
    /// The defects that were found.
    pub defects: Vec<Defect>,
    /// True if the bot asked to be kept running.
    pub asks_to_be_kept: bool,
    /// The slowest turn by the wall.
    pub slowest: Duration,
    /// The most CPU time of a turn.
    pub most_cpu: Duration,
    /// The most resident memory, in bytes.
    pub most_memory: u64,
}

impl BotGame {
    /// The number of moves that the bot made.
    #[must_use]
    pub fn own_moves(&self) -> usize {
        (self.record.game.plies().len() + 1 - self.scenario.side.index()) / 2
    }
}

/// The observer of a game: measures the bot's turns and collects defects.
#[derive(Debug)]
struct BotWatch {
    scenario: Scenario,
    limits: JudgeLimits,
    turns: usize,
    defects: Vec<Defect>,
    asks_to_be_kept: bool,
    slowest: Duration,
    most_cpu: Duration,
    most_memory: u64,
}

impl TurnObserver for BotWatch {
    fn observe(
        &mut self,
        game: &Game,
        seat: usize,
        turn: &TurnResult,
        verdict: &Result<FullMove, PlayerFault>,
    ) -> Option<PlayerFault> {
        if seat != self.scenario.side.index() {
            return None;
        }
        self.turns += 1;
        let seen = turn.observation.clone().unwrap_or_default();
        self.asks_to_be_kept |= seen.asks_to_be_kept;
        self.slowest = self.slowest.max(seen.usage.wall);
        self.most_cpu = self.most_cpu.max(seen.usage.cpu);
        self.most_memory = self.most_memory.max(seen.usage.memory);
        // A turn without an answer is late by what ended it.
        let waited_for = |fault: &PlayerFault| matches!(fault.reason, EndKind::Time | EndKind::Stall);
        let mut found = match &turn.answer {
            Err(fault) if waited_for(fault) => Vec::new(),
            _ => of_turn(&seen, self.turns == 1, &self.limits),
        };
        let late =
            found.iter().find(|(kind, _)| *kind == DefectKind::Late).map(|(_, message)| message.clone());
        let evidence = turn.evidence.clone().unwrap_or_default();
        let (mut cause, mut answered) = (None, None);
        match (verdict, &late) {
            // The referee's word for a late answer is said already.
            (Err(fault), Some(_)) if fault.reason == EndKind::Time => {}
            (Err(fault), _) => {
                let form = self.scenario.form;
                cause = Cause::find(game, fault, form, &seen.output, &evidence.standard_error);
                answered = fault.answered;
                found.push((of_fault(fault), fault.detail.clone()));
            }
            (Ok(_), _) => {}
        }
        self.defects.extend(found.into_iter().map(|(kind, message)| Defect {
            kind,
            scenario: self.scenario,
            turn: self.turns,
            message,
            input: evidence.input.clone(),
            answer: seen.output.clone(),
            standard_error: evidence.standard_error.clone(),
            position: Some(*game.position()),
            answered,
            cause: cause.clone(),
        }));
        late.map(|message| PlayerFault::new(EndKind::Time, message))
    }
}

/// The players of a scenario: the bot and its opponent, the first player first.
fn players(scenario: &Scenario, plan: &CheckPlan<'_>) -> [Entrant; 2] {
    let protocol = if scenario.form == Form::Json { Protocol::Json } else { Protocol::Text };
    let engine = EngineOptions::default();
    let spec = PlayerSpec::Program { protocol, command: plan.command.to_vec() };
    let bot = Entrant {
        name: "the bot".to_owned(),
        allowance: Allowance {
            time: Some(plan.limits.time),
            first_time: Some(plan.limits.first_time),
            ..Allowance::default()
        },
        keeps_running: scenario.kept,
        ..Entrant::new(spec, &engine)
    };
    let random = PlayerSpec::BuiltIn { kind: PlayerKind::Random, settings: Vec::new() };
    let random = Entrant::new(random, &engine);
    if scenario.side == Side::First { [bot, random] } else { [random, bot] }
}

/// The referee of the check, and what ends its games early.
pub(super) struct CheckReferee<'a> {
    pub(super) plan: &'a CheckPlan<'a>,
    pub(super) interrupt: &'a std::sync::atomic::AtomicBool,
    searches: RunningSearches,
}

impl<'a> CheckReferee<'a> {
    pub(super) fn new(
        plan: &'a CheckPlan<'a>,
        interrupt: &'a std::sync::atomic::AtomicBool,
    ) -> CheckReferee<'a> {
        CheckReferee { plan, interrupt, searches: RunningSearches::default() }
    }

    /// Plays a game to its end; `None` if it is interrupted.
    pub(super) fn play(&self, scenario: &Scenario) -> Result<Option<BotGame>, LaunchError> {
        Ok(self.play_beside(scenario, &MATCHES[..1])?.pop())
    }

    /// Plays these matches at a time, turn by turn as the site does. Interrupted games are left out.
    fn play_beside(&self, scenario: &Scenario, matches: &[u64]) -> Result<Vec<BotGame>, LaunchError> {
        let players = players(scenario, self.plan);
        // The command has checked that the board has a start.
        let start = Size::square(scenario.board).ok().and_then(|size| Start::Formula.position(size).ok());
        let opening = Game::new(start.unwrap_or_else(|| unreachable!("a board without a start")));
        let conditions =
            Conditions { grace: ALARM, patience: Some(ALARM), measured: true, ..Conditions::default() };
        let context = GameContext::new(conditions, self.interrupt, &self.searches);
        let fixture = Fixture { game: 0, pair: 0, opening: 0, players: [0, 1] };
        let watch = BotWatch {
            scenario: *scenario,
            limits: self.plan.limits,
            turns: 0,
            defects: Vec::new(),
            asks_to_be_kept: false,
            slowest: Duration::ZERO,
            most_cpu: Duration::ZERO,
            most_memory: 0,
        };
        let mut games = Vec::new();
        for &number in matches {
            let seed = seeds::mix(&[self.plan.seed, number]);
            let game = RefereedGame::begin(&fixture, players.each_ref(), &opening, seed, &context)?;
            games.push((game, BotWatch { defects: Vec::new(), ..watch }));
        }
        loop {
            let mut going = false;
            for (game, watch) in &mut games {
                going |= game.step(watch)?.is_continue();
            }
            if !going {
                break;
            }
        }
        let checked = games.into_iter().filter_map(|(game, watch)| {
            let mut record = game.into_record()?;
            record.game.event = Some(scenario.to_string());
            Some(BotGame {
                scenario: *scenario,
                record,
                defects: watch.defects,
                asks_to_be_kept: watch.asks_to_be_kept,
                slowest: watch.slowest,
                most_cpu: watch.most_cpu,
                most_memory: watch.most_memory,
            })
        });
        Ok(checked.collect())
    }

    /// Plays two matches one after the other, then both at a time. Returns a defect if one match
    /// disturbs the other: a fault that neither has alone, or other moves of a bot that otherwise
    /// repeats its moves. A fault that a match has alone is returned unchanged.
    pub(super) fn leak(&self, scenario: &Scenario) -> Result<Option<Defect>, LaunchError> {
        let mut alone = Vec::new();
        for number in MATCHES {
            // Twice, because moves show a leak only if the bot always plays the same.
            let once = self.play_beside(scenario, &[number])?;
            let again = self.play_beside(scenario, &[number])?;
            let mut defects = once.iter().chain(&again).flat_map(|game| &game.defects);
            if let Some(defect) = defects.find(|defect| defect.kind.loses()) {
                return Ok(Some(defect.clone()));
            }
            alone.extend(once.into_iter().zip(again));
        }
        let together = self.play_beside(scenario, &MATCHES)?;
        let mut defects = together.iter().flat_map(|game| &game.defects);
        if let Some(defect) = defects.find(|defect| defect.kind.loses() && defect.kind != DefectKind::Late) {
            let message =
                format!("with two matches at a time, and not with one: {}: {}", defect.kind, defect.message);
            return Ok(Some(Defect { kind: DefectKind::Leak, message, ..defect.clone() }));
        }
        let moves = |game: &BotGame| game.record.game.moves();
        let differing = alone.iter().zip(&together).filter_map(|((once, again), beside)| {
            let (once, again, beside) = (moves(once), moves(again), moves(beside));
            let ply = once.iter().zip(&beside).position(|(alone, beside)| alone != beside)?;
            (once == again).then(|| (ply, once[ply], beside[ply]))
        });
        Ok(differing.min_by_key(|&(ply, ..)| ply).map(|(ply, alone, beside)| Defect {
            kind: DefectKind::Leak,
            scenario: *scenario,
            turn: ply / 2 + 1,
            message: format!("twice alone it plays {alone}, and {beside} while a second match runs"),
            input: String::new(),
            answer: String::new(),
            standard_error: String::new(),
            position: None,
            answered: None,
            cause: None,
        }))
    }
}
