//! The policy network: priors and values for the search, learned from the engine's own searches.
//!
//! The linear evaluator's priors come from the static values of the children alone. This small
//! convolutional network looks at the whole board once. It gives every queen move, or every arrow,
//! a logit, and the acting side its log-odds of winning. The search asks it at nodes that are
//! visited again. The softmax of the logits replaces their priors. The value replaces some of their
//! results.
//!
//! [`Inference`] is a thread's scratch memory: it makes `planes` of a position or half ply, and runs
//! the net in 8-bit integers with the fastest [`Kernel`](crate::simd::Kernel). [`mod@reference`] computes the
//! same plainly, for tests.
//!
//! All kernels give the same bits. `tuning/` trains the nets.
//!
//! Burnt squares and squares off the board are the same to the net: their activations are zero. So
//! one net serves boards of any size, and only squares that are not burnt cost time.

mod inference;
mod kernel;
mod network;
mod network_error;
#[doc(hidden)]
pub mod planes;
#[doc(hidden)]
pub mod reference;

#[doc(hidden)]
pub use inference::Inference;
pub use network::{Network, Networks};
pub use network_error::NetworkError;
