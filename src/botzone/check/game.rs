//! Plays one game of the checked bot against random moves, and observes each turn of the bot.

use amazons::hash::mix;
use amazons::{Position, Side, Size};
use serde::Serialize;

use super::cause::FailedTurn;
use super::defect::{Cause, turn_defects};
use super::{CheckPlan, Defect, DefectKind};
use crate::contest::{
    Entrant, GameContext, LaunchError, PlayerFault, PlayerSpec, RefereedGame, TurnResult, Verdict,
};
use crate::games::{EndKind, Game, MatchGame};
use crate::players::PlayerKind;
use crate::search::EngineOptions;
use crate::words::Language;
use quiver_bot::request::RequestForm;

/// The kind of a game that the check plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Scenario {
    pub form: RequestForm,
    /// True if the bot's process is kept running between turns when the bot asks for this.
    pub kept: bool,
    pub side: Side,
    /// The side length of the board, in squares.
    pub board: usize,
}

impl Scenario {
    pub fn text(&self, language: Language) -> String {
        let pick = |english: &'static str, chinese| language.pick(english, chinese);
        let form =
            if self.form == RequestForm::Json { "JSON" } else { pick("simplified text", "简单交互") };
        let process = if self.kept {
            pick("kept running", "长时运行")
        } else {
            pick("one process a turn", "每回合一个进程")
        };
        let first = self.side == Side::First;
        let side = if first { pick("first player", "先手") } else { pick("second player", "后手") };
        [form, process, side, &format!("{0}x{0}", self.board)].join(pick(", ", "，"))
    }
}

impl From<Scenario> for String {
    fn from(scenario: Scenario) -> String {
        scenario.text(Language::English)
    }
}

/// A game of the checked bot, with the measurements and defects of its turns.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BotGame {
    pub scenario: Scenario,
    pub plies: usize,
    pub winner: Option<Side>,
    #[serde(flatten)]
    pub turns: BotTurns,
    #[serde(skip)]
    pub game: Game,
}

/// The measurements and the defects of the bot's turns in a game.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct BotTurns {
    /// The longest wall time of a turn, in seconds.
    pub slowest_wall: f64,
    /// The largest CPU time of a turn, in seconds.
    pub most_cpu: f64,
    /// The largest resident memory of the bot, in bytes.
    pub most_memory: u64,
    #[serde(skip)]
    pub defects: Vec<Defect>,
    #[serde(skip)]
    pub(super) asks_to_be_kept: bool,
    /// The bot's resident memory after each turn, in bytes.
    #[serde(skip)]
    memory: Vec<u64>,
}

impl BotGame {
    pub(super) fn own_move_count(&self) -> usize {
        (self.plies + 1 - self.scenario.side.index()) / 2
    }
}

impl BotTurns {
    /// Records the measurements and defects of a turn. Returns a fault if the turn took too much
    /// time.
    pub(super) fn record_turn(
        &mut self,
        plan: &CheckPlan<'_>,
        scenario: Scenario,
        game: &Game,
        turn: &TurnResult,
        verdict: &Verdict,
    ) -> Option<PlayerFault> {
        let number = game.plies().len() / 2 + 1;
        // In each game, only the first turn over the memory limit is reported as a memory defect.
        let most_memory = if self.most_memory > plan.memory { u64::MAX } else { plan.memory };
        self.asks_to_be_kept |= turn.asks_to_be_kept;
        self.slowest_wall = self.slowest_wall.max(turn.usage.wall.as_secs_f64());
        self.most_cpu = self.most_cpu.max(turn.usage.cpu.as_secs_f64());
        self.most_memory = self.most_memory.max(turn.usage.memory);
        self.memory.push(turn.usage.memory);
        // If the referee ended the turn because no answer came, no other defect is reported.
        let waited_for = |fault: &PlayerFault| matches!(fault.reason, EndKind::Time | EndKind::Stall);
        let limit = if number == 1 { plan.first_time } else { plan.time };
        let found = match &turn.answer {
            Err(fault) if waited_for(fault) => Vec::new(),
            _ => turn_defects(turn, limit, most_memory, plan.language),
        };
        let late = found.iter().find(|(kind, _)| *kind == DefectKind::LATE);
        let late = late.map(|(_, message)| PlayerFault::new(EndKind::Time, message.clone()));
        let growth = self.memory_growth(plan.language).filter(|_| scenario.kept);
        let evidence = turn.evidence.clone().unwrap_or_default();
        self.defects.extend(found.into_iter().map(|(kind, message)| Defect {
            evidence: evidence.clone(),
            answer: turn.output.clone(),
            game: Some(game.clone()),
            cause: growth.clone().filter(|_| kind == DefectKind::Fault(EndKind::Memory)),
            ..Defect::new(kind, scenario, number, message)
        }));
        // The referee's time fault is not reported for a turn that is already reported as late.
        let is_reported = |fault: &&PlayerFault| late.is_some() && fault.reason == EndKind::Time;
        if let Some(fault) = verdict.as_ref().err().filter(|fault| !is_reported(fault)) {
            let (output, usage) = (&*turn.output, turn.usage);
            let failed = FailedTurn { scenario, game, fault, output, evidence: &evidence, usage };
            self.defects.push(failed.defect(plan.language));
        }
        late
    }

    /// If the bot's memory grew in every turn, returns this growth as the cause of a memory defect.
    fn memory_growth(&self, language: Language) -> Option<Cause> {
        let [first, .., last] = self.memory[..] else { return None };
        let turns = self.memory.len() - 1;
        let grows = self.memory.windows(2).all(|pair| pair[0] < pair[1]);
        let each = ((last.saturating_sub(first)) >> 20) / turns as u64;
        let sentence = language.pick(
            format!("the bot keeps some {each} MiB more after each turn"),
            format!("每回合后多占用约 {each} MiB 内存"),
        );
        (grows && turns > 1 && each > 0).then(|| Cause { key: "growth".to_owned(), sentence })
    }
}

/// Plays one match for each of `match_seeds`, the seeds of the opponents' moves. All matches run at
/// the same time, turn by turn, as on Botzone. A match ends by the rules or after `plies` plies.
/// Returns the matches that were not interrupted.
pub(super) fn play(
    plan: &CheckPlan<'_>,
    scenario: &Scenario,
    match_seeds: &[u64],
    plies: usize,
) -> Result<Vec<BotGame>, LaunchError> {
    let bot = Entrant { ends_each_turn: !scenario.kept, ..plan.bot(scenario.form) };
    let random = PlayerSpec::BuiltIn { kind: PlayerKind::Random, settings: Vec::new() };
    let random = Entrant::new(random, &EngineOptions::default());
    let players = if scenario.side == Side::First { [&bot, &random] } else { [&random, &bot] };
    let start = Size::square(scenario.board).and_then(Position::start);
    let start = start.expect("the command has checked that the board has a start position");
    let opening = Game::new(start);
    let mut games = Vec::new();
    for &match_seed in match_seeds {
        let seed = mix(&[plan.seed, match_seed]);
        let context = GameContext { seed, ..plan.context() };
        let game = RefereedGame::begin([0, 1], players, &opening, context)?;
        games.push((game, BotTurns::default()));
    }
    for _ in 0..plies {
        let mut going = false;
        for (game, turns) in &mut games {
            let mut observe = |game: &Game, turn: &TurnResult, verdict: &Verdict| {
                (game.position().to_move() == scenario.side)
                    .then(|| turns.record_turn(plan, *scenario, game, turn, verdict))?
            };
            going |= game.play_turn(&mut observe)?;
        }
        if !going {
            break;
        }
    }
    let checked = games.into_iter().filter_map(|(game, turns)| {
        let mut game = game.into_record()?.game;
        game.event = Some(scenario.text(Language::English));
        // Copies the message of the fatal defect to `end.detail`, which the HTML page shows.
        if let Some(end) = game.end.as_mut().filter(|end| end.kind.is_fault()) {
            let mut defects = turns.defects.iter();
            let fatal = defects.rfind(|defect| defect.kind == DefectKind::Fault(end.kind));
            end.detail = fatal.map(|defect| defect.message.clone());
        }
        let (plies, winner) = (game.plies().len(), game.winner());
        Some(BotGame { scenario: *scenario, plies, winner, turns, game })
    });
    Ok(checked.collect())
}
