//! Matches and tournaments: players of any make, a referee, and what the results mean.
//!
//! [`Contest`] says what is played and plays it: [`Entrant`]s meet in [`Fixture`]s from
//! [`Openings`], game by game on as many threads as asked. Each game becomes a [`GameRecord`], a
//! line of a [`Record`] from which a contest that was cut short goes on; a [`Tally`] adds them up,
//! [`statistics`] says what they mean, and [`summary`] says it to people. The command line's
//! `quiver match` is the only user above.

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
mod openings;
pub mod positions;
mod program;
mod record;
mod referee;
mod runner;
mod seeds;
mod spec;
pub mod statistics;
pub mod suite;
pub mod summary;
pub mod table;
mod tally;
pub mod tournament;

pub use botzone_log::{LogError, match_log};
pub use contestant::{Allowance, Clock, Conditions};
pub use entrant::Entrant;
pub use fault::{Evidence, Fault, LaunchError, Reason};
pub use fixtures::{Fixture, Format, Pairing};
pub use game_clock::{TimeControl, TimeControlError};
pub use game_record::{GameRecord, RecordedPlayer};
pub use live::LiveGames;
pub use openings::{Opening, OpeningError, Openings};
pub use program::kill_all;
pub use record::{Record, RecordError, Resumed};
pub use runner::{Contest, Decided, Staging};
pub use spec::{PlayerSpec, Protocol, SpecError, quoted};
pub use tally::{EntrantTally, RunningSprt, Tally};
