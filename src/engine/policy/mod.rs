//! The policy network: priors and values for the search, learned from the engine's own searches.
//!
//! This small convolutional network gives each queen move or arrow a logit, and the side to act its
//! log-odds of winning. The search runs the network for a node after the first visits to the node.
//! The softmax of the network's logits replaces a node's priors, and the network's value replaces
//! some of the node's results.
//!
//! Burnt squares and squares off the board have zero activations. So one network serves boards of
//! any size, and only unburnt squares take time. The programs in `tuning/` train the networks.

mod inference;
mod kernel;
mod network;
#[doc(hidden)]
pub mod planes;
#[doc(hidden)]
pub mod reference;

#[doc(hidden)]
pub use inference::Inference;
pub use network::{Network, NetworkError, Networks};
