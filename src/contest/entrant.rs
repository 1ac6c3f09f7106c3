//! The players of a contest, and their time for a turn.

use std::collections::BTreeMap;
use std::time::Duration;

use amazons::Size;
use serde_json::{Value as Json, json};

use super::{Budget, GameConditions, PlayerSpec, Protocol, TimeControl};
use crate::players::{Level, Method, PlayerKind};
use crate::search::EngineOptions;
use crate::territory::Evaluator;
use crate::threads;

/// A player has at most 50 turns in a game, because each ply burns one of at most 100 squares.
const MAX_TURNS: u64 = 50;

/// A player of a contest: how to start it, its limits and its settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entrant {
    /// The unique name of the player in reports.
    pub name: String,
    pub spec: PlayerSpec,
    /// The engine options of a built-in player, including the parameters in its `spec`. The seed in
    /// these options is ignored, because the player gets a new seed for each game.
    pub engine: EngineOptions,
    pub time: Option<Duration>,
    /// The time limit of the player's first turn in a game, if it differs from `time`.
    pub first_time: Option<Duration>,
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    /// The number of games against each opponent. Two players play the smaller of their numbers.
    pub games: Option<usize>,
    /// In the format `neighbours`, two players meet if their distance in the list is at most the
    /// smaller `reach` of the two.
    pub reach: usize,
    /// The longest time that an engine may take until it is ready for a game.
    pub startup: Option<Duration>,
    pub ponder: bool,
    /// The names and values of options of a UCI or GTP engine.
    pub options: Vec<(String, String)>,
    /// The limit of the address space of each process of a program, in bytes.
    pub memory_limit: Option<u64>,
    /// True if a Botzone bot gets a new process for each turn, even if it asks to be kept running.
    pub ends_each_turn: bool,
}

impl Entrant {
    /// Creates a player without limits, whose name is its SPEC. Parameters in the SPEC override
    /// `engine`.
    pub(crate) fn new(spec: PlayerSpec, engine: &EngineOptions) -> Entrant {
        let mut engine = engine.clone();
        if let PlayerSpec::BuiltIn { settings, .. } = &spec {
            for pair in settings {
                // No error is possible, because parsing the SPEC has checked its parameters.
                let _ = engine.parameters.set_pair(pair);
            }
        }
        Entrant { name: spec.to_string(), spec, engine, ..Entrant::default() }
    }

    pub(super) fn budget(&self, first_turn: bool, clocks: [Option<TimeControl>; 2], seat: usize) -> Budget {
        let time = self.first_time.filter(|_| first_turn).or(self.time);
        Budget { time: clocks[seat].map(|clock| clock.time_left()).or(time), clocks, playouts: self.playouts }
    }

    /// True if the player is a Botzone bot, which can play only games from a start position.
    pub(crate) fn is_botzone_bot(&self) -> bool {
        matches!(self.spec.protocol(), Some(Protocol::Botzone(_)))
    }

    /// The limit of CPU time for each process of a program, in seconds. The limit is far above the
    /// time of a game, and ends a program that continues to compute after Quiver was killed.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) fn cpu_limit(&self, conditions: GameConditions) -> Option<u64> {
        let bank = self.tc.map_or(Duration::ZERO, |control| control.base);
        let turn = self.time.map(|time| self.first_time.unwrap_or(time).max(time));
        turn.or(self.tc.map(|control| control.increment)).map(|turn| {
            let turn = turn + conditions.grace + conditions.patience(true);
            let cores = threads::cores() as u64;
            (bank.as_secs() + (turn.as_secs() + 1) * MAX_TURNS) * cores + 60
        })
    }

    /// All settings that decide the player's moves on this board, for the header of a record.
    pub(super) fn header_settings(&self, size: Size) -> Json {
        let EngineOptions { memory, threads, evaluator, networks, .. } = &self.engine;
        let mut play = match self.spec {
            PlayerSpec::BuiltIn { kind: PlayerKind::Quiver | PlayerKind::Level(_), .. } => json!({
                "parameters": self.engine.parameters.on(size).values().collect::<BTreeMap<_, _>>(),
                "memory": memory,
                "threads": threads,
                "weights": checksums(evaluator),
                "net": format!("{:08x}", networks.on(size).checksum()),
            }),
            PlayerSpec::BuiltIn { kind: PlayerKind::Greedy, .. } => {
                json!({"weights": checksums(&Evaluator::default())})
            }
            PlayerSpec::BuiltIn { kind, .. } if kind.constants().is_empty() => json!({}),
            PlayerSpec::BuiltIn { kind, .. } => {
                let constants: BTreeMap<_, _> = kind.constants().iter().copied().collect();
                json!({"constants": constants, "memory": memory})
            }
            PlayerSpec::Program { .. } => {
                json!({"options": self.options, "memory_limit": self.memory_limit})
            }
        };
        if let PlayerSpec::BuiltIn { kind: PlayerKind::Level(Level { method, noise, .. }), .. } = self.spec {
            play["level"] = match method {
                Method::Sample(moves) => json!({"moves": moves, "noise": noise}),
                Method::Search(playouts) => json!({"playouts": playouts, "noise": noise}),
            };
        }
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        play["name"] = json!(self.name);
        play["spec"] = json!(self.spec.to_string());
        play["time"] = json!(seconds(self.time));
        play["first_time"] = json!(seconds(self.first_time));
        play["tc"] = json!(self.tc);
        play["playouts"] = json!(self.playouts);
        // Records of earlier versions lack this setting, so only `true` is written.
        if self.ponder {
            play["ponder"] = json!(true);
        }
        play
    }
}

/// The checksums of an evaluator's two sets of weights, for small and for large boards.
fn checksums(evaluator: &Evaluator) -> [String; 2] {
    evaluator.weights().map(|weights| format!("{:016x}", weights.checksum()))
}
