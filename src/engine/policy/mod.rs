//! The policy network: priors and values for the search, learned from the engine's own searches.
//!
//! The linear evaluator's priors only use the static values of the children. This small
//! convolutional network sees the whole board once. It gives every queen move or every arrow a
//! logit, and the acting side its log-odds of winning. The search uses it at nodes that are visited
//! again: the softmax of the logits replaces their priors, and the value some of their results.
//!
//! [`Inference`] is a thread's scratch memory. It computes the `planes` of a position or half ply,
//! and runs the network in 8-bit integers with the fastest [`Kernel`](crate::simd::Kernel).
//! [`mod@reference`] computes the same in plain code for tests.
//!
//! All kernels give the same bits. `tuning/` trains the networks.
//!
//! Burnt squares and squares off the board have zero activations, so one network serves boards of
//! any size, and only unburnt squares take time.

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
