//! Converts the arguments of Python functions, and converts errors to Python exceptions.

use std::fmt::Display;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quiver::{Side, Square};

pub(crate) fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Converts the number `16 * y + x` to a square. Fails if x or y is above 9.
pub(crate) fn square(number: u8) -> PyResult<Square> {
    Square::from_byte(number).ok_or_else(|| {
        invalid(format_args!("{number} is no square: expected 16 * y + x, with x and y from 0 to 9"))
    })
}

pub(crate) fn side(number: u8) -> PyResult<Side> {
    let side = Side::BOTH.get(usize::from(number)).copied();
    side.ok_or_else(|| invalid(format_args!("{number} is no side: expected 0 (first) or 1 (second)")))
}

pub(crate) fn side_number(side: Side) -> u8 {
    side.index() as u8
}

/// Converts a time limit in seconds, which must be above 0 and below about a year.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    if seconds > 0.0 && seconds < 3.2e7 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(invalid(format_args!("time = {seconds}: expected seconds above 0 and below 32000000, as in 0.5")))
    }
}

pub(crate) fn memory(bytes: u64) -> PyResult<usize> {
    let size = usize::try_from(bytes).ok().filter(|size| (1 << 20..=1 << 40).contains(size));
    size.ok_or_else(|| invalid(format_args!("memory = {bytes}: expected bytes from 2**20 to 2**40")))
}
