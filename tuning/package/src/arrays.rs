//! Arrays of numpy. Each owns its bytes, so that callers may write to it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyTuple, PyType};
use quiver::Square;

/// The type of squares.
const SQUARES: &str = "<i8";

/// An array over a copy of these bytes. `dtype` is a type of numpy or its name.
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

/// Squares as their numbers, of shape (n,). Their type leaves room for arithmetic.
pub(crate) fn squares<'py>(
    py: Python<'py>,
    squares: impl IntoIterator<Item = Square>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = squares.into_iter().flat_map(|square| number(square).to_le_bytes()).collect();
    array(py, &bytes, SQUARES, &[bytes.len() / size_of::<i64>()])
}

/// Rows of N squares as their numbers, of shape (n, N).
pub(crate) fn rows<'py, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [Square; N]>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = rows.flatten().flat_map(|square| number(square).to_le_bytes()).collect();
    array(py, &bytes, SQUARES, &[bytes.len() / size_of::<i64>() / N, N])
}

fn number(square: Square) -> i64 {
    square.to_byte().into()
}

/// Squares as rows of `quiver/dtypes.py` hold them.
pub(crate) fn square_bytes<const N: usize>(squares: [Square; N]) -> impl Iterator<Item = u8> {
    squares.into_iter().flat_map(|square| i16::from(square.to_byte()).to_le_bytes())
}

/// Floats, of shape (n,).
pub(crate) fn floats<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    array(py, &bytes, "<f8", &[numbers.len()])
}
