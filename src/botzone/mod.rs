//! The wire to Botzone: what its judge writes and reads.
//!
//! - [`match_log`]: logs of finished matches, read in every form the site hands out and checked against the rules.

pub mod match_log;
