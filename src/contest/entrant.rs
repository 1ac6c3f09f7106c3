//! The participants of a contest, and those that play in this process.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use amazons::Size;
use serde::Serialize;

use super::program::{Bot, ProcessGroup, start_engine};
use super::spec::EngineProtocol;
use super::{
    Budget, Clock, Conditions, Contestant, GameContext, LaunchError, PlayerFault, PlayerSpec, RunOptions,
    TimeControl, TurnResult,
};
use crate::games::{EndKind, Game, TurnFacts};
use crate::players::{Level, Method, Player, PlayerKind};
use crate::search::{Cpu, EngineOptions, Limits, Stopwatch, Time};
use crate::territory::Evaluator;

/// More turns than a player has in a game: each burns a square, of at most a hundred.
const MOST_TURNS: u64 = 50;

#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    /// Its name in reports; no other entrant has the same.
    pub name: String,
    pub spec: PlayerSpec,
    /// The limit of a turn, on the clock of the match.
    pub time: Option<Duration>,
    /// The limit of the first turn of a game, where it differs.
    pub first_time: Option<Duration>,
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    /// The options of a built-in player with those of its SPEC; its seed comes from the contest.
    pub engine: EngineOptions,
    pub options: Vec<(String, String)>,
    /// The time that an engine has to get ready, where the user allows more than usual.
    pub startup: Option<Duration>,
    /// True if an engine goes on while its opponent is to move.
    pub ponders: bool,
    /// Address space of each process of a program, in bytes.
    pub memory_limit: Option<u64>,
    /// True if a bot of Botzone's forms that asks for it is kept running; otherwise each turn has a
    /// process of its own.
    pub keeps_running: bool,
}

impl Entrant {
    /// A player under its SPEC as name, without limits; settings of the SPEC change `engine`.
    pub(crate) fn new(spec: PlayerSpec, engine: &EngineOptions) -> Entrant {
        let mut engine = engine.clone();
        if let PlayerSpec::BuiltIn { settings, .. } = &spec {
            for pair in settings {
                // The spec was checked when it was read.
                let _ = engine.set_pair(pair);
            }
        }
        Entrant {
            name: spec.to_string(),
            spec,
            time: None,
            first_time: None,
            tc: None,
            playouts: None,
            engine,
            options: Vec::new(),
            startup: None,
            ponders: false,
            memory_limit: None,
            keeps_running: true,
        }
    }

    /// The limits of a turn of `seat`, the player's first of the game or a later one.
    pub(super) fn budget(&self, first_turn: bool, clocks: [Option<TimeControl>; 2], seat: usize) -> Budget {
        let time = self.first_time.filter(|_| first_turn).or(self.time);
        Budget { time: clocks[seat].map(|clock| clock.left()).or(time), clocks, playouts: self.playouts }
    }

    /// Prepares for a game that goes on from its last position, before any clock runs.
    pub(super) fn prepare<'a>(
        &'a self,
        context: GameContext<'a>,
        game: &Game,
    ) -> Result<Box<dyn Contestant + 'a>, LaunchError> {
        Ok(match &self.spec {
            PlayerSpec::BuiltIn { kind, .. } => {
                let options = EngineOptions { seed: context.player_seed(), ..self.engine.clone() };
                let mut player = kind.build(&options, game.position());
                player.warm_up();
                Box::new(BuiltIn { kind: *kind, player, context, known: game.plies().len() })
            }
            PlayerSpec::Botzone { form, .. } => Box::new(Bot::new(*form, self, context)),
            PlayerSpec::Engine { protocol, .. } => Box::new(start_engine(*protocol, self, context, game)?),
        })
    }

    /// Checks that the player can be started for this game. Returns the names of its options that an
    /// engine does not offer.
    pub(crate) fn check(
        &self,
        conditions: Conditions,
        game: &Game,
        run: &RunOptions,
    ) -> Result<Vec<String>, LaunchError> {
        let context = GameContext { conditions, seed: 0, game: 0, seat: 0, run };
        match &self.spec {
            PlayerSpec::BuiltIn { .. } => Ok(Vec::new()),
            PlayerSpec::Botzone { .. } => ProcessGroup::start(self, &context).map(|_| Vec::new()),
            PlayerSpec::Engine { protocol, command } => {
                let unready = |fault: PlayerFault| {
                    LaunchError(format!("'{}' does not get ready: {}", command.join(" "), fault.detail))
                };
                start_engine(*protocol, self, context, game)?.readiness.map_err(unready)
            }
        }
    }

    /// True for a bot of Botzone's forms, which can describe games from a start position only.
    pub(crate) fn is_botzone_bot(&self) -> bool {
        matches!(self.spec, PlayerSpec::Botzone { .. })
    }

    /// True for an engine of the contest platform, whose words describe whole games only.
    pub(crate) fn begins_at_start(&self) -> bool {
        matches!(self.spec, PlayerSpec::Engine { protocol: EngineProtocol::Contest, .. })
    }

    /// A program and its arguments; nothing of a built-in player.
    pub(super) fn command(&self) -> &[String] {
        match &self.spec {
            PlayerSpec::BuiltIn { .. } => &[],
            PlayerSpec::Botzone { command, .. } | PlayerSpec::Engine { command, .. } => command,
        }
    }

    /// CPU time in seconds for each process of a program: far more than a game takes. It ends a
    /// program that still works after this process was killed.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) fn cpu_limit(&self, conditions: Conditions) -> Option<u64> {
        let bank = self.tc.map_or(Duration::ZERO, |control| control.base);
        let turn = self.time.map(|time| self.first_time.unwrap_or(time).max(time));
        turn.or(self.tc.map(|control| control.increment)).map(|turn| {
            let turn = turn + conditions.grace + conditions.patience(true);
            let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
            (bank.as_secs() + (turn.as_secs() + 1) * MOST_TURNS) * cores + 60
        })
    }

    /// The entrant as a record has it: everything that its play on a board of this size depends on.
    pub(super) fn describe(&self, size: Size) -> EntrantDescription<'_> {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let EngineOptions { memory, threads, evaluator, networks, .. } = &self.engine;
        let settings = match &self.spec {
            PlayerSpec::BuiltIn { kind: kind @ (PlayerKind::Quiver | PlayerKind::Level(_)), .. } => {
                DescribedSettings::Search {
                    parameters: self.engine.values(size).collect(),
                    memory: *memory,
                    threads: *threads,
                    weights: checksums(evaluator),
                    net: format!("{:08x}", networks.on(size).checksum()),
                    level: if let PlayerKind::Level(level) = kind {
                        Some(describe_level(level))
                    } else {
                        None
                    },
                }
            }
            PlayerSpec::BuiltIn { kind, .. } => {
                let constants: BTreeMap<_, _> = kind.constants().iter().copied().collect();
                DescribedSettings::Plain {
                    memory: (!constants.is_empty()).then_some(*memory),
                    constants: Some(constants).filter(|constants| !constants.is_empty()),
                    weights: (*kind == PlayerKind::Greedy).then(|| checksums(&Evaluator::default())),
                }
            }
            PlayerSpec::Botzone { .. } | PlayerSpec::Engine { .. } => {
                DescribedSettings::Program { options: &self.options, memory_limit: self.memory_limit }
            }
        };
        EntrantDescription {
            name: &self.name,
            spec: self.spec.to_string(),
            time: seconds(self.time),
            first_time: seconds(self.first_time),
            tc: self.tc,
            playouts: self.playouts,
            settings,
        }
    }
}

/// An entrant in the header of a record.
#[derive(Serialize)]
pub(super) struct EntrantDescription<'a> {
    name: &'a str,
    spec: String,
    /// In seconds.
    time: Option<f64>,
    first_time: Option<f64>,
    tc: Option<TimeControl>,
    playouts: Option<u64>,
    #[serde(flatten)]
    settings: DescribedSettings<'a>,
}

/// The settings that the play of a kind of player depends on.
#[derive(Serialize)]
#[serde(untagged)]
enum DescribedSettings<'a> {
    Search {
        parameters: BTreeMap<&'static str, f64>,
        memory: usize,
        threads: usize,
        weights: [String; 2],
        net: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<DescribedLevel>,
    },
    Plain {
        #[serde(skip_serializing_if = "Option::is_none")]
        constants: Option<BTreeMap<&'static str, f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        weights: Option<[String; 2]>,
    },
    Program {
        options: &'a [(String, String)],
        memory_limit: Option<u64>,
    },
}

#[derive(Serialize)]
struct DescribedLevel {
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playouts: Option<u64>,
    noise: f64,
}

fn describe_level(&Level { method, noise, .. }: &Level) -> DescribedLevel {
    let (moves, playouts) = match method {
        Method::Sample(moves) => (Some(moves), None),
        Method::Search(playouts) => (None, Some(playouts)),
    };
    DescribedLevel { moves, playouts, noise }
}

/// The checksums of an evaluator's weights, for small boards and for large ones.
fn checksums(evaluator: &Evaluator) -> [String; 2] {
    evaluator.weights().map(|weights| format!("{:016x}", weights.checksum()))
}

/// A built-in player at the board, in process: no pipes, clocked by the wall or by its thread.
struct BuiltIn<'a> {
    kind: PlayerKind,
    player: Box<dyn Player>,
    context: GameContext<'a>,
    /// The number of moves that the player knows.
    known: usize,
}

impl Contestant for BuiltIn<'_> {
    fn version(&self) -> String {
        format!("{} {}", self.kind, env!("CARGO_PKG_VERSION"))
    }

    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError> {
        let stopwatch = match self.context.conditions.clock {
            Clock::Wall => Stopwatch::wall(),
            Clock::Cpu => Stopwatch::cpu(Cpu::Thread),
        };
        let clock = budget.clocks[game.position().to_move().index()];
        let time = budget.time.map(|time| match clock {
            Some(clock) => Time::Game { remaining: time, increment: clock.increment },
            None => Time::PerMove(time),
        });
        let stop = self.context.run.interrupt.clone();
        let limits = Limits { time, playouts: budget.playouts, stopwatch: Some(stopwatch), stop };
        // A panic has already been reported by its hook; the player is not touched again after one.
        let choice = catch_unwind(AssertUnwindSafe(|| {
            // The clock counts this: keeping the tree is the player's work.
            game.plies()[self.known..].iter().for_each(|ply| self.player.advance(ply.played));
            self.player.choose(&limits)
        }));
        let spent = stopwatch.elapsed();
        self.known = game.plies().len();
        let answer = match &choice {
            Err(_) => Err(PlayerFault::new(EndKind::Crash, "the player panicked")),
            Ok(None) => Err(PlayerFault::new(EndKind::Malformed, "the player says that it has no move")),
            Ok(Some(choice)) => Ok(choice.chosen),
        };
        let report = choice.ok().flatten().and_then(|choice| choice.report);
        let facts = report.map_or(TurnFacts::default(), |report| TurnFacts {
            value: Some(report.value),
            proven: report.proven,
            playouts: Some(report.playouts),
            ..TurnFacts::default()
        });
        Ok(TurnResult { facts, ..TurnResult::new(answer, spent) })
    }
}
