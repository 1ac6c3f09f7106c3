//! The policy network: priors and values for the search, learned from the engine's own searches.
//!
//! The priors of the linear evaluator depend only on the static values of the children. This small
//! convolutional network evaluates the whole board. It gives each queen move or arrow a logit, and
//! the side to act its log-odds of winning. The search runs the network for a node after the first
//! visits to the node. The softmax of the network's logits replaces a node's priors, and the
//! network's value replaces some of the node's results.
//!
//! [`Inference`] is the working memory of one thread. It computes the `planes` of a position or
//! half ply, and runs the network in 8-bit integers with the fastest
//! [`Kernel`](crate::simd::Kernel). [`mod@reference`] computes the same in plain code for tests.
//!
//! All kernels give the same bits. The programs in `tuning/` train the networks.
//!
//! Burnt squares and squares off the board have zero activations. So one network serves boards of
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
