//! `quiver bot` as the judge sees it: real processes, stopped and continued, fed and refereed.

mod bad_input;
mod matches;
