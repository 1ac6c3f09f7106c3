//! The static evaluator: the log-odds of winning, from counts of the squares that each side is
//! nearer to.
//!
//! The result depends only on the position or half ply (the state after a queen move, before its
//! arrow). The evaluator allocates no memory, and works in four steps:
//!
//! 1. `counts` floods the board from both sides' amazons by queen moves and by king moves.
//! 2. `counts` intersects the floods and counts squares. [`Terms`] defines the counts.
//! 3. [`Weights`] sums the counts in whole numbers, with weights that depend on the phase.
//! 4. The sum is the log-odds; [`logistic`](fn@logistic) turns it into a probability.
//!
//! The code is generic over the types of the sets of squares (`pair`) and of their words (`simd`).
//! It is compiled for each [`Kernel`](crate::simd::Kernel), both for one position and for a batch
//! of child positions, with one child in each lane.

#[doc(hidden)]
pub mod campya;
mod counts;
mod distance;
mod evaluator;
mod kernel;
mod logistic;
mod pair;
#[doc(hidden)]
pub mod reference;
mod squares;
mod terms;
mod view;
mod weights;

pub use distance::{Distances, flood_distances};
pub use evaluator::{Evaluate, Evaluator};
pub use logistic::logistic;
pub(crate) use logistic::{exp, exp_all, ln};
#[doc(hidden)]
pub use terms::{COLUMNS, Terms};
pub use view::View;
pub use weights::{Weights, WeightsError};
