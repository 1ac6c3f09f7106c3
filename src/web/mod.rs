//! Writes pages for a browser, and serves the page of `quiver serve`.
//!
//! The style sheets, scripts and templates are in the folder `assets`. The program embeds them.

pub(crate) mod contest_page;
pub(crate) mod game_report;
pub(crate) mod match_page;
mod page;
pub mod server;
