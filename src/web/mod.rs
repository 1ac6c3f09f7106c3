//! What a browser shows: the one board renderer of the house, and the pages that use it.
//!
//! - [`board`]: a position as an SVG picture.
//! - [`graph`]: the chances of winning over a game as an SVG picture.
//! - [`contest_page`]: the page of a contest, while it is played and afterwards.
//! - [`match_page`]: one self-contained page to step through matches.
//! - `server` (feature `serve`): the page to play and to analyse on, its games and searches.
//! - [`game`], [`paste`]: a game as that page has it, and as people paste it.
//! - [`judge`]: the verdict of a review on the moves of a line.
//! - [`exercises`]: the lesson, the best moves to find and the endgames to win on that page.
//! - [`result`]: how a match ended, for scripts to say it in the language of the page.
//! - [`script`]: the one script of a self-contained page, with the words of both languages.
//! - [`text`]: foreign text made safe for markup and scripts.
//!
//! Style sheets, scripts and templates are files of `assets/`, embedded in the binary.

pub mod board;
pub mod contest_page;
pub mod exercises;
pub mod game;
pub mod graph;
pub mod judge;
pub mod match_page;
pub mod paste;
pub mod result;
pub mod script;
pub mod server;
pub mod text;
