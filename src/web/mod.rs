//! Pages for a browser, and the server of `quiver serve`.
//!
//! Style sheets, scripts and templates are files of `assets/`, embedded in the binary.

pub(crate) mod contest_page;
pub(crate) mod game_report;
pub(crate) mod match_page;
mod page;
pub mod server;
