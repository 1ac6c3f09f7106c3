//! The evaluator: who is nearer to what, and what that is worth.
//!
//! A pure function of a position or half ply, without allocation. Floods give distances ([`distance`]); their counts
//! are the [`Terms`]; a table of [`Weights`] by phase gives log-odds of winning. The search asks an [`Evaluator`] for every
//! child of an expansion at once and at the end of every playout. All of it is written once, over sets of squares of
//! both sides ([`pair`]), and compiled for each [`Kernel`].

#[cfg(target_arch = "x86_64")]
mod avx;
pub mod campya;
pub mod distance;
mod evaluator;
mod kernel;
mod lieberum;
mod logistic;
pub mod packed;
pub mod pair;
pub mod reference;
mod terms;
mod view;
mod weights;

pub use evaluator::Evaluator;
pub use kernel::{Kernel, Task};
pub use lieberum::Lieberum;
pub use logistic::{exp, ln, logistic};
pub use terms::{COLUMNS, Terms};
pub use view::View;
pub use weights::{Weights, WeightsError};
