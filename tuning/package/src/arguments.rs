//! Arguments that several functions take, and errors.

use std::fmt::Display;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quiver::{Side, Square};

/// A `ValueError` with the message of an error of the crate.
pub(crate) fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The square of a number `16 * y + x`.
pub(crate) fn square(number: u8) -> PyResult<Square> {
    Square::from_byte(number)
        .ok_or_else(|| invalid(format_args!("{number} is no square: expected 16 * y + x, both from 0 to 9")))
}

/// The side of a number.
pub(crate) fn side(number: u8) -> PyResult<Side> {
    let side = Side::BOTH.get(usize::from(number)).copied();
    side.ok_or_else(|| invalid(format_args!("{number} is no side: expected 0 (first) or 1 (second)")))
}

/// The number of a side.
pub(crate) fn side_number(side: Side) -> u8 {
    side.index() as u8
}

/// A limit of time in seconds.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    if seconds > 0.0 && seconds < 3.2e7 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(invalid(format_args!("time = {seconds}: expected seconds above 0 and below 32000000, as in 0.5")))
    }
}

/// A size of memory in bytes.
pub(crate) fn memory(bytes: u64) -> PyResult<usize> {
    let size = usize::try_from(bytes).ok().filter(|size| (1 << 20..=1 << 40).contains(size));
    size.ok_or_else(|| invalid(format_args!("memory = {bytes}: expected bytes from 2**20 to 2**40")))
}
