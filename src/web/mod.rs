//! Pages for a browser: the one board renderer of the house, and the pages that use it.
//!
//! Style sheets, scripts and templates are files of `assets/`, embedded in the binary.

mod board;
pub(crate) mod contest_page;
pub(crate) mod game_report;
pub(crate) mod match_page;
mod page;
pub mod server;
