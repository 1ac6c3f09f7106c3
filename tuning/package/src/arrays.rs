//! Constructs numpy arrays from bytes. Each array has its own copy, so callers may write to it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyTuple, PyType};
use quiver::Square;

/// The numpy type of arrays of squares: signed 64-bit integers.
const SQUARE_DTYPE: &str = "<i8";

/// Returns an array with a copy of `bytes`. `dtype` is a numpy type or its name.
pub(crate) fn array<'py>(
    py: Python<'py>,
    bytes: &[u8],
    dtype: impl IntoPyObject<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let ndarray = NDARRAY.import(py, "numpy", "ndarray")?;
    ndarray.call1((PyTuple::new(py, shape)?, dtype, PyByteArray::new(py, bytes)))
}

/// Returns an array of shape (n,) of the numbers `16 * y + x` of squares.
pub(crate) fn squares<'py>(
    py: Python<'py>,
    squares: impl IntoIterator<Item = Square>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = squares.into_iter().flat_map(|square| square_number(square).to_le_bytes()).collect();
    array(py, &bytes, SQUARE_DTYPE, &[bytes.len() / size_of::<i64>()])
}

/// Returns an array of shape (n, N), each row of which has the numbers of N squares.
pub(crate) fn square_rows<'py, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [Square; N]>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = rows.flatten().flat_map(|square| square_number(square).to_le_bytes()).collect();
    array(py, &bytes, SQUARE_DTYPE, &[bytes.len() / size_of::<i64>() / N, N])
}

fn square_number(square: Square) -> i64 {
    square.to_byte().into()
}

/// Returns squares as bytes, as the fields `squares` in `quiver/dtypes.py` store them.
pub(crate) fn square_bytes<const N: usize>(squares: [Square; N]) -> impl Iterator<Item = u8> {
    squares.into_iter().flat_map(|square| i16::from(square.to_byte()).to_le_bytes())
}

pub(crate) fn floats<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    array(py, &bytes, "<f8", &[numbers.len()])
}
