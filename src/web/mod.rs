//! Writes pages for a browser, and serves the page of `quiver serve`.

pub(crate) mod contest_page;
pub(crate) mod game_report;
pub(crate) mod match_page;
mod page;
pub mod server;
