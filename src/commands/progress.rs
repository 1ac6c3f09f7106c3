//! The progress of commands that take long, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar; indicatif shows it on a terminal only.
pub(super) fn bar(total: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left {eta}) {msg}") {
        bar.set_style(style);
    }
    bar.set_position(done as u64);
    bar.reset_eta();
    bar
}
