//! Checks a bot for Botzone: plays it in every form and lists the defects that the judge would
//! find.
//!
//! [`check`] plays whole games against random moves: JSON and simplified text, a process for each
//! turn and one that keeps running, both colours, two boards, and two matches at a time. Each turn
//! is observed (`game`); what breaks a rule of the judge is a [`Defect`]. `quiver check` prints
//! them, and has the bot rated besides.

mod defect;
mod game;

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use amazons::Side;
use serde::Serialize;

use crate::botzone::request::Form;
use crate::contest::{Entrant, GameRecord, LaunchError, Placement, PlayerSpec, RunOptions};
use crate::search::EngineOptions;
use crate::words::Language;
pub(crate) use defect::{Defect, DefectKind};
pub(crate) use game::{BotGame, BotTurns, Scenario};

/// The boards of Botzone: the live site's, and the one that its page describes.
const BOARDS: [usize; 2] = [8, 10];

/// The bot of a check, and the limits that it must keep.
#[derive(Debug)]
pub(crate) struct CheckPlan<'a> {
    /// The bot: a program and its arguments.
    pub command: &'a [String],
    pub form: Form,
    /// The side of the board that it must play on; if missing, the first of 8 and 10 that it plays.
    pub board: Option<usize>,
    /// The judge's limit of CPU time of a turn; by the wall one second more.
    pub time: Duration,
    /// The same for the first turn of a match.
    pub first_time: Duration,
    /// The judge's limit of resident memory, in bytes.
    pub memory: u64,
    pub language: Language,
    /// The seed of the opponent's random moves.
    pub seed: u64,
    /// Ends its games early.
    pub run: &'a RunOptions,
}

impl CheckPlan<'_> {
    /// The bot with the judge's limits; it speaks this form.
    pub(crate) fn bot(&self, form: Form) -> Entrant {
        let spec = PlayerSpec::Botzone { form, command: self.command.to_vec() };
        let (name, time, first_time) = ("the bot".to_owned(), Some(self.time), Some(self.first_time));
        Entrant { name, time, first_time, ..Entrant::new(spec, &EngineOptions::default()) }
    }
}

/// The result of a check; programs read it as JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct CheckReport {
    /// The boards on which the bot made a move.
    pub boards: BTreeSet<usize>,
    #[serde(rename = "trials")]
    pub games: Vec<BotGame>,
    /// The defects: the first of each kind.
    pub defects: Vec<Defect>,
    pub notes: Vec<String>,
    /// The bot's place on the ladder, if it was rated.
    pub rating: Option<Placement>,
    #[serde(skip)]
    pub rated: Vec<GameRecord>,
}

impl CheckReport {
    /// The number of defects that lose a match.
    pub(crate) fn losing(&self) -> usize {
        self.defects.iter().filter(|defect| defect.loses).count()
    }

    /// Adds a game, if it was played to its end; true if the bot asked to be kept running.
    fn take(&mut self, game: Option<BotGame>) -> bool {
        let Some(game) = game else { return false };
        game.turns.defects.iter().for_each(|defect| self.add(defect.clone()));
        self.boards.extend((game.own_moves() > 0).then_some(game.scenario.board));
        let kept = game.turns.asks_to_be_kept;
        self.games.push(game);
        kept
    }

    /// Adds a game for the rating, with the fault by which the bot, entrant 0, may have lost it.
    pub(crate) fn take_rated(&mut self, form: Form, record: GameRecord) {
        let (game, end, board) = (&record.game, record.end(), record.game.start().size().width());
        let scenario = Scenario { form, kept: true, side: !end.winner, board: board.into() };
        if record.players[scenario.side.index()].entrant == 0 && end.kind.is_fault() {
            let message = format!("in a game for the rating: {}", end.detail.as_deref().unwrap_or_default());
            let turn = game.plies().len() / 2 + 1;
            let defect = Defect::new(DefectKind::Fault(end.kind), scenario, turn, message);
            let evidence = record.evidence.clone().unwrap_or_default();
            self.add(Defect { evidence, position: Some(*game.position()), answered: end.answered, ..defect });
        }
        self.rated.push(record);
    }

    fn add(&mut self, defect: Defect) {
        match self.defects.iter_mut().find(|known| known.kind == defect.kind) {
            Some(known) => known.count += 1,
            None => self.defects.push(defect),
        }
    }
}

/// Tries the bot; `progress` is told what is played next.
pub(crate) fn check(
    plan: &CheckPlan<'_>,
    mut progress: impl FnMut(&str),
) -> Result<CheckReport, LaunchError> {
    let mut report = CheckReport::default();
    report.note_untried(plan.language);
    let before = folder();
    let first = |board| Scenario { form: plan.form, kept: false, side: Side::First, board };
    let mut play = |scenario: Scenario| {
        if plan.run.interrupt.is_stopped() {
            return Ok(None);
        }
        progress(&scenario.text(Language::English));
        Ok(plan.play(&scenario, &game::MATCHES[..1], usize::MAX)?.pop())
    };
    let (mut board, mut found) = (plan.board, None);
    for candidate in BOARDS {
        if board.is_none() {
            found = play(first(candidate))?.filter(|game| game.own_moves() > 0);
            board = found.is_some().then_some(candidate);
        }
    }
    let board = board.unwrap_or(BOARDS[0]);
    for side in Side::BOTH {
        let scenario = Scenario { side, ..first(board) };
        let game = if found.is_some() { found.take() } else { play(scenario)? };
        if report.take(game) {
            report.take(play(Scenario { kept: true, ..scenario })?);
        } else if side == Side::First && !report.boards.is_empty() {
            report.note_not_kept(plan.language);
        }
    }
    let first = first(board);
    let form = if plan.form == Form::Json { Form::Text } else { Form::Json };
    let board = if board == BOARDS[0] { BOARDS[1] } else { BOARDS[0] };
    for scenario in [Scenario { form, ..first }, Scenario { board, ..first }] {
        // A bot need not play every form and board. If it fails at its first turn, it does not
        // claim to play this one, and that is no defect.
        let game = play(scenario)?.filter(|game| game.own_moves() > 0);
        if game.is_some() {
            let asks_to_be_kept = report.take(game);
            report.take(play(Scenario { side: Side::Second, ..scenario })?);
            if asks_to_be_kept {
                report.take(play(Scenario { kept: true, ..scenario })?);
            }
        } else if !plan.run.interrupt.is_stopped() {
            report.note_unplayed(&scenario, plan.language);
        }
    }
    if report.losing() == 0 {
        progress(&format!("two matches, one by one and both at a time, up to {} times", game::SHOWINGS));
        if let Some(defect) = plan.leak(&first)? {
            report.add(defect);
        }
    }
    report.note_changes(&before, plan.language);
    Ok(report)
}

impl CheckReport {
    /// Notes what this system lets no check try.
    fn note_untried(&mut self, language: Language) {
        if !cfg!(target_os = "linux") {
            let note = language.pick(
                "CPU time, memory, processes left behind and, on Windows, stops between turns were not tried: they \
                 need Linux",
                "未检查 CPU 时间、内存、遗留进程和（在 Windows 上）回合间的暂停：这些检查需要 Linux",
            );
            self.notes.push(note.to_owned());
        }
    }

    /// Notes that the bot asks for no long running.
    fn note_not_kept(&mut self, language: Language) {
        let note = language.pick(
            "it does not ask to be kept running: every turn has a process of its own",
            "它不请求长时运行：每回合启动一个新进程",
        );
        self.notes.push(note.to_owned());
    }

    /// Notes a form or a board that the bot does not claim to play.
    fn note_unplayed(&mut self, scenario: &Scenario, language: Language) {
        let scenario = scenario.text(language);
        self.notes.push(language.pick(
            format!("it does not play as {scenario}, which it need not"),
            format!("它不支持（也不必支持）：{scenario}"),
        ));
    }

    /// Notes the files in the current folder that changed since `before`.
    fn note_changes(&mut self, before: &FolderState, language: Language) {
        let changed: Vec<String> =
            folder().difference(before).map(|(name, _)| name.clone()).take(5).collect();
        if !changed.is_empty() {
            let names = changed.join(", ");
            self.notes.push(language.pick(
                format!(
                    "files in this folder changed during the check ({names}): on Botzone only data/ stays, and \
                     all matches of a bot share it"
                ),
                format!("检查期间本目录的文件有变动（{names}）：Botzone 只保留 data/，且同一程序的所有对局共用"),
            ));
        }
    }
}

/// The names in a folder with the times of their last change.
type FolderState = BTreeSet<(String, Option<SystemTime>)>;

/// The names in the current folder with the times of their last change.
fn folder() -> FolderState {
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    let entry = |entry: fs::DirEntry| {
        let changed =
            entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|data| data.modified().ok());
        (entry.file_name().to_string_lossy().into_owned(), changed)
    };
    entries.map(entry).collect()
}
