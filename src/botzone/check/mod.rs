//! Checks a bot for Botzone: plays games in every request form and lists the defects that the judge
//! would find.
//!
//! [`check`] lets the bot play whole games against random moves. The games differ in the form of
//! the requests, in the bot's side, in the board, and in whether the bot is kept running. The
//! module `leak` plays two matches at the same time, and `game` observes each turn. A [`Defect`] is
//! a breach of a rule of the judge. The modules `cause` and `bot_bug` find the likely cause of a
//! defect. `quiver check` prints the report (module `report`) and also rates the bot.

mod bot_bug;
mod cause;
mod defect;
mod game;
mod leak;
mod report;

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use amazons::Side;
use serde::Serialize;

use self::bot_bug::{BotBug, explain_defect};
use self::cause::FailedTurn;
use crate::contest::{
    Entrant, GameConditions, GameContext, GameRecord, KILL_DELAY, LadderRating, LaunchError, PlayerFault,
    PlayerSpec, RunOptions, Usage, repeat_game,
};
use crate::games::{Game, GameEnd, MatchGame as _};
use crate::search::EngineOptions;
use crate::words::Language;
pub(crate) use defect::{Defect, DefectKind};
pub(crate) use game::{BotGame, BotTurns, Scenario};
use quiver_bot::request::RequestForm;
pub(crate) use report::{describe, summary};

/// The sizes of Botzone's boards: 8 on the live site, and 10 in the site's description of the game.
const BOARDS: [usize; 2] = [8, 10];

/// The bot to check, the limits that it must keep, and the settings of the check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckPlan<'a> {
    pub command: &'a [String],
    pub form: RequestForm,
    /// The side length of the bot's board. `None` means 8, or 10 if the bot does not play on 8x8.
    pub board: Option<usize>,
    /// The judge's limit of CPU time for a turn. The limit of wall time is one second more.
    pub time: Duration,
    pub first_time: Duration,
    /// The judge's limit of resident memory, in bytes.
    pub memory: u64,
    pub language: Language,
    pub seed: u64,
    pub run: &'a RunOptions,
}

impl CheckPlan<'_> {
    pub(crate) fn bot(&self, form: RequestForm) -> Entrant {
        let (time, first_time) = (Some(self.time), Some(self.first_time));
        let bot = Entrant::new(PlayerSpec::bot(form, self.command), &EngineOptions::default());
        Entrant { name: "the bot".to_owned(), time, first_time, ..bot }
    }

    pub(crate) fn conditions(&self) -> GameConditions {
        GameConditions {
            grace: KILL_DELAY,
            default_memory_limit: Some(self.memory),
            ..GameConditions::default()
        }
    }

    fn context(&self) -> GameContext<'_> {
        GameContext::new(self.conditions(), self.seed, self.run)
    }
}

/// The result of a check. `--json` prints it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct CheckReport {
    /// The boards on which the bot made a move.
    pub boards: BTreeSet<usize>,
    #[serde(rename = "trials")]
    pub games: Vec<BotGame>,
    /// The distinct defects, each as it was first observed.
    pub defects: Vec<Defect>,
    pub notes: Vec<String>,
    pub rating: Option<LadderRating>,
    #[serde(skip)]
    pub rated: Vec<GameRecord>,
}

pub(crate) enum CheckEvent<'a> {
    /// A check begins its next game or pair of matches, or a replay has finished a turn.
    Progress {
        /// The game that begins, or the turn with its time, its memory and the bot's answer.
        description: &'a str,
        /// In a check, how many of the [`MAX_GAMES`] games are over or skipped. In a replay, how
        /// many turns are over.
        done: usize,
    },
    NewDefect(&'a Defect),
}

/// The largest number of games of a check, without the games that confirm a leak or find a cause:
/// four with the request form and board that the bot must support, two in the other form, two on
/// the other board, and three to find leaks between matches.
pub(crate) const MAX_GAMES: usize = 11;

impl CheckReport {
    pub(crate) fn losing_defect_count(&self) -> usize {
        self.defects.iter().filter(|defect| defect.loses).count()
    }

    /// Adds a game that was played to rate the bot. The bot is entrant 0 of the record. If the bot
    /// lost the game by a defect that the report does not have yet, returns this defect.
    pub(crate) fn add_rated_game(&mut self, plan: &CheckPlan<'_>, record: GameRecord) -> Option<&Defect> {
        let (game, end, language) = (&record.game, record.end(), plan.language);
        let board = game.start().size().width().into();
        let kept = self.games.iter().any(|game| game.turns.asks_to_be_kept);
        let scenario = Scenario { form: plan.form, kept, side: !end.winner, board };
        let at_fault = record.players[scenario.side.index()].entrant == 0 && end.kind.is_fault();
        let defect = at_fault.then(|| {
            let GameEnd { kind: reason, answered, turn, .. } = end;
            let fault = PlayerFault { reason, detail: end.detail.unwrap_or_default(), answered };
            let wall = Duration::try_from_secs_f64(turn.seconds.unwrap_or_default()).unwrap_or_default();
            let (evidence, usage) = (record.evidence.clone(), Usage { wall, ..Usage::default() });
            let evidence = &evidence.unwrap_or_default();
            let failed = FailedTurn { scenario, game, fault: &fault, output: "", evidence, usage };
            let mut defect = failed.defect(language);
            let place = language.pick("in a game for the rating: ", "评级对局中：");
            defect.message.insert_str(0, place);
            defect
        });
        self.rated.push(record);
        defect.and_then(|defect| self.add(defect))
    }

    /// Adds a defect and returns it. If the report already has this defect, only counts it and
    /// returns `None`.
    fn add(&mut self, defect: Defect) -> Option<&Defect> {
        if let Some(known) = self.defects.iter_mut().find(|known| known.is_same(&defect)) {
            known.count += 1;
            return None;
        }
        self.defects.push(defect);
        self.defects.last()
    }
}

struct Check<'a, F> {
    plan: &'a CheckPlan<'a>,
    report: CheckReport,
    /// The bugs that have explained illegal moves of the bot so far.
    known_bugs: Vec<BotBug>,
    follow: F,
    /// The number of games that are over or skipped.
    games_done: usize,
}

impl<F: FnMut(CheckEvent<'_>)> Check<'_, F> {
    /// Plays a game. Returns `None` if the check is interrupted.
    fn play(&mut self, scenario: Scenario) -> Result<Option<BotGame>, LaunchError> {
        if self.plan.run.interrupt.is_stopped() {
            return Ok(None);
        }
        let description = scenario.text(self.plan.language);
        (self.follow)(CheckEvent::Progress { description: &description, done: self.games_done });
        Ok(game::play(self.plan, &scenario, &leak::MATCH_SEEDS[..1], usize::MAX)?.pop())
    }

    /// Adds a game to the report, unless `game` is `None`. Returns true if the bot asked in this
    /// game to be kept running.
    fn add_game(&mut self, game: Option<BotGame>) -> Result<bool, LaunchError> {
        self.games_done += 1;
        let Some(mut game) = game else { return Ok(false) };
        for defect in &mut game.turns.defects {
            defect.cause = self.add(defect.clone())?.cause;
        }
        self.report.boards.extend((game.own_move_count() > 0).then_some(game.scenario.board));
        let kept = game.turns.asks_to_be_kept;
        self.report.games.push(game);
        Ok(kept)
    }

    /// Adds a defect to the report. If the defect is new, finds its cause and calls `follow`.
    fn add(&mut self, defect: Defect) -> Result<Defect, LaunchError> {
        let known = &self.report.defects;
        let is_known = known.iter().any(|known| known.is_same(&defect));
        let fails_in_new_process =
            known.iter().any(|known| known.kind == defect.kind && !known.scenario.kept);
        let defect = if is_known {
            defect
        } else {
            explain_defect(self.plan, defect, fails_in_new_process, &mut self.known_bugs)?
        };
        if let Some(new) = self.report.add(defect.clone()) {
            (self.follow)(CheckEvent::NewDefect(new));
        }
        Ok(defect)
    }

    /// Plays the games that the bot must support: on either side, with the request form and the
    /// board of `first`. `found` is the first of these games if the caller has already played it.
    fn play_required_games(
        &mut self,
        first: Scenario,
        mut found: Option<BotGame>,
    ) -> Result<(), LaunchError> {
        for side in Side::BOTH {
            let scenario = Scenario { side, ..first };
            let game = if found.is_some() { found.take() } else { self.play(scenario)? };
            if self.add_game(game)? {
                let kept = self.play(Scenario { kept: true, ..scenario })?;
                self.add_game(kept)?;
            } else if side == Side::First && !self.report.boards.is_empty() {
                let note = self.plan.language.pick(
                    "the bot does not ask to be kept running, so each turn starts a new process",
                    "它不请求长时运行：每回合启动一个新进程",
                );
                self.report.notes.push(note.to_owned());
            }
        }
        Ok(())
    }

    /// Plays games with a request form or on a board that the bot need not support. If the bot
    /// fails in its first turn, the report gets a note instead of a defect.
    fn play_optional_games(&mut self, scenario: Scenario) -> Result<(), LaunchError> {
        let game = self.play(scenario)?.filter(|game| game.own_move_count() > 0);
        if game.is_some() {
            let kept = self.add_game(game)?;
            let second = self.play(Scenario { side: Side::Second, kept, ..scenario })?;
            self.add_game(second)?;
        } else if !self.plan.run.interrupt.is_stopped() {
            let note = self
                .plan
                .language
                .pick("the bot does not support these games, and need not: ", "它不支持（也不必支持）：");
            self.report.notes.push(note.to_owned() + &scenario.text(self.plan.language));
        }
        Ok(())
    }
}

pub(crate) fn check(
    plan: &CheckPlan<'_>,
    follow: impl FnMut(CheckEvent<'_>),
) -> Result<CheckReport, LaunchError> {
    let (report, known_bugs) = (CheckReport::default(), Vec::new());
    let mut check = Check { plan, report, known_bugs, follow, games_done: 0 };
    if !cfg!(target_os = "linux") {
        let note = plan.language.pick(
            "CPU time, memory, processes left behind and, on Windows, pauses between turns were not checked: these \
             checks need Linux",
            "未检查 CPU 时间、内存、遗留进程和（在 Windows 上）回合间的暂停：这些检查需要 Linux",
        );
        check.report.notes.push(note.to_owned());
    }
    let before = folder_state();
    let first = |board| Scenario { form: plan.form, kept: false, side: Side::First, board };
    let (mut board, mut found) = (plan.board, None);
    for candidate in BOARDS {
        if board.is_none() {
            found = check.play(first(candidate))?.filter(|game| game.own_move_count() > 0);
            board = found.is_some().then_some(candidate);
        }
    }
    let board = board.unwrap_or(BOARDS[0]);
    let first = first(board);
    check.play_required_games(first, found)?;
    let form = if plan.form == RequestForm::Json { RequestForm::Text } else { RequestForm::Json };
    let board = if board == BOARDS[0] { BOARDS[1] } else { BOARDS[0] };
    for (games_done, scenario) in [(4, Scenario { form, ..first }), (6, Scenario { board, ..first })] {
        check.games_done = games_done;
        check.play_optional_games(scenario)?;
    }
    let alone = check.report.games.first().cloned().filter(|_| check.report.losing_defect_count() == 0);
    if let Some(alone) = alone.filter(|_| !plan.run.interrupt.is_stopped()) {
        let description = plan
            .language
            .pick("two matches, each alone and then both at the same time", "两局：先分别进行，再同时进行");
        (check.follow)(CheckEvent::Progress { description, done: 8 });
        if let Some(defect) = leak::find_leak_between_matches(plan, &first, &alone)? {
            check.add(defect)?;
        }
    }
    check.report.notes.extend(changes(&before, plan.language));
    Ok(check.report)
}

/// Plays a recorded game again. The bot plays the side that is to move at the end of the recorded
/// game. The bot gets one request at a time, its input stays open, and its process is kept running
/// if the bot asks for this. The report has a note on the first turn in which the bot plays another
/// move than in the recorded game.
pub(crate) fn repeat_turns(
    plan: &CheckPlan<'_>,
    game: &Game,
    mut follow: impl FnMut(CheckEvent<'_>),
) -> Result<CheckReport, LaunchError> {
    let board = game.start().size().width().into();
    let scenario = Scenario { form: plan.form, kept: true, side: game.position().to_move(), board };
    let (mut turns, mut report) = (BotTurns::default(), CheckReport::default());
    let bot = plan.bot(plan.form);
    repeat_game(&bot, game, plan.context(), &mut |so_far, turn, verdict| {
        if so_far.position().to_move() != scenario.side {
            return None;
        }
        let (known, number) = (turns.defects.len(), so_far.len() / 2 + 1);
        let late = turns.record_turn(plan, scenario, so_far, turn, verdict);
        for defect in turns.defects.iter().skip(known) {
            if let Some(new) = report.add(defect.clone()) {
                follow(CheckEvent::NewDefect(new));
            }
        }
        let (usage, answer) = (turn.usage, turn.output.lines().next().unwrap_or_default());
        let (seconds, mib) = (usage.wall.as_secs_f64(), usage.memory >> 20);
        let line = plan.language.pick(
            format!("turn {number}: {seconds:.2} s, {mib} MiB: {answer}"),
            format!("第 {number} 回合：{seconds:.2} 秒，{mib} MiB：{answer}"),
        );
        follow(CheckEvent::Progress { description: &line, done: number });
        let played = game.move_to(so_far.len() + 1).filter(|_| report.notes.is_empty());
        if let (Ok(answered), Some(played)) =
            (verdict, played.filter(|played| verdict.as_ref() != Ok(played)))
        {
            report.notes.push(plan.language.pick(
                format!(
                    "in turn {number} the bot plays {answered}, but in the game it played {played}: from here on, if \
                     the opponent's move of the game is not legal, the opponent plays a random move"
                ),
                format!(
                    "第 {number} 回合它走 {answered}，而对局中是 {played}：此后对局中的走法若不合法，对方改走随机走法"
                ),
            ));
        }
        late
    })?;
    let (plies, winner) = (game.len(), game.winner());
    report.games.push(BotGame { scenario, plies, winner, turns, game: game.clone() });
    Ok(report)
}

/// The names of the files in the current folder, with the times of their last change.
type FolderState = BTreeSet<(String, Option<SystemTime>)>;

fn folder_state() -> FolderState {
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    let entry = |entry: fs::DirEntry| {
        let changed =
            entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|data| data.modified().ok());
        (entry.file_name().to_string_lossy().into_owned(), changed)
    };
    entries.map(entry).collect()
}

/// Returns a note with up to five changed files of the current folder, or `None` if there are none.
fn changes(before: &FolderState, language: Language) -> Option<String> {
    let now = folder_state();
    let changed: Vec<&str> = now.difference(before).map(|(name, _)| name.as_str()).take(5).collect();
    let names = changed.join(", ");
    let note = language.pick(
        format!(
            "files in this folder changed during the check ({names}): Botzone keeps only the folder data/, and all \
             matches of a bot share it"
        ),
        format!("检查期间本目录的文件有变动（{names}）：Botzone 只保留 data/，且同一程序的所有对局共用"),
    );
    (!changed.is_empty()).then_some(note)
}
