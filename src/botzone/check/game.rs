//! One game of a bot that is watched, against random moves.

use amazons::hash::mix;
use amazons::{Position, Side, Size};
use serde::Serialize;

use super::defect::{cause_of, of_turn};
use super::{CheckPlan, Defect, DefectKind};
use crate::botzone::request::Form;
use crate::contest::{
    ALARM, Conditions, Entrant, GameContext, LaunchError, PlayerFault, PlayerSpec, RefereedGame, TurnResult,
    Verdict,
};
use crate::games::{EndKind, Game, MatchGame};
use crate::players::PlayerKind;
use crate::search::EngineOptions;
use crate::words::Language;

/// Numbers of matches, from which the opponents' moves follow; one match alone has the first.
pub(super) const MATCHES: [u64; 2] = [1, 2];

/// Times that the same difference must show. A bot that plays one of two moves by chance at a ply, the
/// first with the probability p, shows it so often in at most one check in 1,900: the sum of
/// `(p p (1 - p))^4` for both moves.
pub(super) const SHOWINGS: usize = 4;

/// The way in which a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Scenario {
    pub form: Form,
    /// True if a bot that asks for it is kept running; otherwise each turn has a process of its own.
    pub kept: bool,
    pub side: Side,
    pub board: usize,
}

impl Scenario {
    pub fn text(&self, language: Language) -> String {
        let say = |english: &'static str, chinese| language.pick(english, chinese);
        let form = if self.form == Form::Json { "JSON" } else { say("simplified text", "简单交互") };
        let process = if self.kept {
            say("kept running", "长时运行")
        } else {
            say("one process a turn", "每回合一个进程")
        };
        let first = self.side == Side::First;
        let side = if first { say("first player", "先手") } else { say("second player", "后手") };
        [form, process, side, &format!("{0}x{0}", self.board)].join(say(", ", "，"))
    }
}

impl From<Scenario> for String {
    fn from(scenario: Scenario) -> String {
        scenario.text(Language::English)
    }
}

/// A game of the bot.
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

/// The figures and the defects of the bot's turns in a game.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct BotTurns {
    /// The slowest turn, in seconds by the wall.
    pub slowest_wall: f64,
    /// The most CPU time of a turn, in seconds.
    pub most_cpu: f64,
    /// The most resident memory, in bytes.
    pub most_memory: u64,
    #[serde(skip)]
    pub defects: Vec<Defect>,
    #[serde(skip)]
    pub(super) asks_to_be_kept: bool,
}

impl BotGame {
    pub(super) fn own_moves(&self) -> usize {
        (self.plies + 1 - self.scenario.side.index()) / 2
    }
}

impl BotTurns {
    /// Measures a turn of the bot and collects its defects, as the observer of a
    /// [`RefereedGame::step`] does.
    fn observe(
        &mut self,
        plan: &CheckPlan<'_>,
        scenario: Scenario,
        game: &Game,
        turn: &TurnResult,
        verdict: &Verdict,
    ) -> Option<PlayerFault> {
        let number = game.plies().len() / 2 + 1;
        // Said once a game.
        let most_memory = if self.most_memory > plan.memory { u64::MAX } else { plan.memory };
        self.asks_to_be_kept |= turn.asks_to_be_kept;
        self.slowest_wall = self.slowest_wall.max(turn.usage.wall.as_secs_f64());
        self.most_cpu = self.most_cpu.max(turn.usage.cpu.as_secs_f64());
        self.most_memory = self.most_memory.max(turn.usage.memory);
        // A turn without an answer is late by what ended it.
        let waited_for = |fault: &PlayerFault| matches!(fault.reason, EndKind::Time | EndKind::Stall);
        let limit = if number == 1 { plan.first_time } else { plan.time };
        let found = match &turn.answer {
            Err(fault) if waited_for(fault) => Vec::new(),
            _ => of_turn(turn, limit, most_memory),
        };
        let late = found.iter().find(|(kind, _)| *kind == DefectKind::LATE);
        let late = late.map(|(_, message)| PlayerFault::new(EndKind::Time, message.clone()));
        let defect = |(kind, message)| Defect {
            evidence: turn.evidence.clone().unwrap_or_default(),
            answer: turn.output.clone(),
            position: Some(*game.position()),
            ..Defect::new(kind, scenario, number, message)
        };
        self.defects.extend(found.into_iter().map(defect));
        // The referee's word for a late answer is said already.
        let said = |fault: &&PlayerFault| late.is_some() && fault.reason == EndKind::Time;
        self.defects.extend(verdict.as_ref().err().filter(|fault| !said(fault)).map(|fault| Defect {
            answered: fault.answered,
            cause: cause_of(game, fault, turn, scenario.form, plan.language),
            ..defect((DefectKind::Fault(fault.reason), fault.detail.clone()))
        }));
        late
    }
}

impl CheckPlan<'_> {
    /// Plays these matches at a time, turn by turn as the site does, until they end or have this many
    /// plies. Leaves interrupted games out.
    pub(super) fn play(
        &self,
        scenario: &Scenario,
        matches: &[u64],
        plies: usize,
    ) -> Result<Vec<BotGame>, LaunchError> {
        let bot = Entrant { keeps_running: scenario.kept, ..self.bot(scenario.form) };
        let random = PlayerSpec::BuiltIn { kind: PlayerKind::Random, settings: Vec::new() };
        let random = Entrant::new(random, &EngineOptions::default());
        let players = if scenario.side == Side::First { [&bot, &random] } else { [&random, &bot] };
        // The command has checked that the board has a start.
        let start = Size::square(scenario.board).and_then(Position::start).expect("a board with a start");
        let opening = Game::new(start);
        let measured = Some(self.memory);
        let conditions = Conditions { grace: ALARM, measured, ..Conditions::default() };
        let mut games = Vec::new();
        for &number in matches {
            let seed = mix(&[self.seed, number]);
            let context = GameContext { conditions, seed, game: 0, seat: 0, run: self.run };
            let game = RefereedGame::begin([0, 1], players, &opening, context)?;
            games.push((game, BotTurns::default()));
        }
        for _ in 0..plies {
            let mut going = false;
            for (game, turns) in &mut games {
                let mut observe = |game: &Game, seat, turn: &TurnResult, verdict: &Verdict| {
                    (seat == scenario.side.index())
                        .then(|| turns.observe(self, *scenario, game, turn, verdict))?
                };
                going |= game.step(&mut observe)?;
            }
            if !going {
                break;
            }
        }
        let checked = games.into_iter().filter_map(|(game, turns)| {
            let mut game = game.into_record()?.game;
            game.event = Some(scenario.text(Language::English));
            let (plies, winner) = (game.plies().len(), game.winner());
            Some(BotGame { scenario: *scenario, plies, winner, turns, game })
        });
        Ok(checked.collect())
    }

    /// Plays two matches one after the other, then both at a time, and all of it again if one match
    /// disturbs the other. A leak shows each time; the moves of a bot that thinks by time differ now
    /// and then. So other moves count as a leak only if the same difference shows [`SHOWINGS`] times.
    /// Returns it as a defect. A fault that a match has alone is returned unchanged.
    pub(super) fn leak(&self, scenario: &Scenario) -> Result<Option<Defect>, LaunchError> {
        let Some((by_moves, first)) = self.disturbance(scenario, usize::MAX)? else { return Ok(None) };
        if first.kind != DefectKind::Leak {
            return Ok(Some(first));
        }
        let plies = if by_moves { 2 * first.turn } else { usize::MAX };
        for _ in 1..SHOWINGS {
            match self.disturbance(scenario, plies)? {
                Some((true, again)) if again.message == first.message => {}
                Some((true, _)) if by_moves => return Ok(None),
                other => return Ok(other.map(|(_, defect)| defect)),
            }
        }
        Ok(Some(first))
    }

    /// A fault of a match alone, a leak by a fault that neither match has alone, or, with true, a leak
    /// by other moves of a bot that otherwise repeats its moves, in this many plies.
    fn disturbance(&self, scenario: &Scenario, plies: usize) -> Result<Option<(bool, Defect)>, LaunchError> {
        // Plays each match twice, because moves show a leak only if the bot always plays the same.
        let mut alone = Vec::new();
        for number in MATCHES {
            let once = self.play(scenario, &[number], plies)?;
            let again = self.play(scenario, &[number], plies)?;
            let mut defects = once.iter().chain(&again).flat_map(|game| &game.turns.defects);
            if let Some(defect) = defects.find(|defect| defect.loses) {
                return Ok(Some((false, defect.clone())));
            }
            alone.extend(once.into_iter().zip(again));
        }
        let together = self.play(scenario, &MATCHES, plies)?;
        let mut defects = together.iter().flat_map(|game| &game.turns.defects);
        if let Some(defect) = defects.find(|defect| defect.loses && defect.kind != DefectKind::LATE) {
            let message = format!(
                "with two matches at a time, and not with one: {}: {}",
                defect.kind.words(Language::English),
                defect.message
            );
            let leak = Defect { kind: DefectKind::Leak, message, ..defect.clone() };
            return Ok(Some((false, leak)));
        }
        // Of a bot that a busy machine made late, other moves show nothing.
        let mut all = alone.iter().flat_map(|(once, again)| [once, again]).chain(&together);
        if all.any(|game| game.turns.defects.iter().any(|defect| defect.kind == DefectKind::Slow)) {
            return Ok(None);
        }
        let differing = alone.iter().zip(&together).filter_map(|((once, again), beside)| {
            let [usual, repeated, other] = [once, again, beside].map(|game| game.game.moves());
            let ply = usual.iter().zip(&other).position(|(one, another)| one != another)?;
            (usual == repeated).then(|| (ply, usual[ply], other[ply]))
        });
        Ok(differing.min_by_key(|&(ply, ..)| ply).map(|(ply, usual, other)| {
            let message = format!("twice alone it plays {usual}, and {other} while a second match runs");
            (true, Defect::new(DefectKind::Leak, *scenario, ply / 2 + 1, message))
        }))
    }
}
