//! Helpers of several test programs. Each uses its own part of it.
#![allow(dead_code)]

pub(crate) mod judge;
pub(crate) mod plain;
pub(crate) mod positions;
pub(crate) mod program;
pub(crate) mod scratch;
pub(crate) mod strategies;
