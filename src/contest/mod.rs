//! Matches and tournaments: players of any make, a referee, and what the results mean.
//!
//! [`Contest`] says what is played and plays it: [`Entrant`]s meet in [`Fixture`]s from
//! [`Openings`], game by game on as many threads as asked. Each game becomes a [`GameRecord`], a
//! line of a [`Record`], so that an interrupted contest can be resumed. [`ContestResults`] adds the
//! games up, [`statistics`] computes Elo and tests from them, and [`summary`] prints reports. The
//! command `quiver match` uses this module, and so do `check`, `suite` and `openings`.

mod adjudication;
mod botzone_log;
mod builtin;
pub mod check;
mod contestant;
pub mod conversion;
mod entrant;
mod fault;
pub mod fixtures;
mod game_clock;
mod game_record;
mod live;
pub mod opening_suite;
mod openings;
pub mod placement;
pub mod positions;
mod program;
mod record;
mod referee;
pub mod report;
mod results;
mod runner;
mod seeds;
mod spec;
pub mod statistics;
pub mod summary;
pub mod table;
pub mod tournament;

pub use botzone_log::{LogError, match_log};
pub use contestant::{Allowance, Clock, Conditions};
pub use entrant::Entrant;
pub use fault::{Evidence, LaunchError, PlayerFault};
pub use fixtures::{Fixture, Pairing, TournamentFormat};
pub use game_clock::{TimeControl, TimeControlError};
pub use game_record::{GameRecord, RecordedPlayer};
pub use live::LiveGames;
pub use openings::{OpeningError, Openings};
pub use program::kill_all;
pub use record::{Record, Resumed};
pub use results::{ContestResults, EntrantResults, RunningSprt};
pub use runner::{Contest, DecidedPairings, RunOptions};
pub use spec::{PlayerSpec, Protocol, SpecError, quoted};
