//! The evaluator: who is nearer to what, and what that is worth.
//!
//! A pure function of a position or half ply, without allocation: floods give distances ([`distance`]), their
//! counts give [`Features`], and a table of weights by phase gives log-odds of winning (`weights`). The search
//! asks for [`log_odds`] at every child of an expansion and at the end of every playout.

pub mod distance;
mod features;
mod logistic;
pub mod packed;
pub mod reference;
mod weights;

pub use features::{Features, View};
pub use logistic::{exp, logistic};
pub use weights::log_odds;
