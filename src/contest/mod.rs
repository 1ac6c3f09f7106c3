//! Matches and tournaments: players, a referee, records and statistics of the results.
//!
//! A [`Contest`] has a list of [`ScheduledGame`]s, which it plays on several threads. A user
//! describes a player by [`PlayerSettings`], from which an [`Entrant`] of the contest is made. A
//! [`Contestant`] is that player in one game. Each finished game is a [`GameRecord`] and becomes a
//! line of a [`record`], so that an interrupted contest can be resumed. [`ContestResults`] adds up
//! the games, [`statistics`] computes Elo and tests from them, and [`summary`] prints reports.

mod adjudication;
mod built_in;
mod contestant;
mod entrant;
mod game_clock;
mod game_record;
mod ladder_rating;
mod launch;
pub(crate) mod openings;
mod program;
mod program_exit;
pub mod record;
mod referee;
mod results;
mod runner;
mod schedule;
mod settings;
pub(crate) mod spec;
pub(crate) mod statistics;
pub(crate) mod summary;
pub(crate) mod table;

pub use contestant::LiveGames;
use contestant::{Budget, Contestant};
pub(crate) use contestant::{
    Clock, GameConditions, GameContext, KILL_DELAY, LaunchError, PlayerFault, RunOptions, TurnResult, Usage,
};
pub(crate) use entrant::Entrant;
pub use game_clock::TimeControl;
pub(crate) use game_record::BLUNDER_COMMENT;
pub use game_record::{Evidence, GameRecord, RecordedPlayer, is_blunder};
pub(crate) use ladder_rating::LadderRating;
pub(crate) use launch::check_start;
pub(crate) use openings::Openings;
pub(crate) use program::{PlatformMove, Vertex, kill_all, read_answer};
pub use program_exit::ProgramExit;
pub(crate) use referee::{RefereedGame, Verdict, ask_for_move, repeat_game};
pub(crate) use results::{ContestResults, RunningSprt};
pub(crate) use runner::{Contest, ContestError, GameSink};
pub(crate) use schedule::{MAX_GAMES, Pairing, ScheduledGame, schedule};
pub(crate) use settings::PlayerSettings;
pub(crate) use spec::{ContestSpec, PlayerSpec, Protocol, TournamentFormat};
