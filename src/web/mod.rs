//! What a browser shows: the one board renderer of the house, and the pages that use it.
//!
//! - [`board`]: a position as an SVG picture.
//! - [`graph`]: the chances of winning over a game as an SVG picture.
//! - [`match_page`]: one self-contained page to step through matches.
//! - [`text`]: foreign text made safe for markup and scripts.
//!
//! Style sheets, scripts and templates are files of `assets/`, embedded in the binary.

pub mod board;
pub mod graph;
pub mod match_page;
pub mod text;
