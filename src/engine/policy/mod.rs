//! The policy network: priors and values for the search, learned from the engine's own searches.
//!
//! This small convolutional network computes a logit for each queen move or arrow, and the log-odds
//! that the side to act wins. The search runs the network for the root at once, and for any other
//! node after the first visits to the node. The softmax of the logits replaces the node's priors.
//! The network's value replaces the results of at most `value_visits` (a parameter) earlier visits.
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
