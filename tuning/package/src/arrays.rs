//! Arrays of numpy. Each owns its bytes, so that callers may write to it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyTuple, PyType};
use quiver::Square;

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

/// Squares as their numbers, of shape (n,).
pub(crate) fn squares<'py>(
    py: Python<'py>,
    squares: impl IntoIterator<Item = Square>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = squares.into_iter().map(Square::to_byte).collect();
    array(py, &bytes, "u1", &[bytes.len()])
}

/// Rows of N squares as their numbers, of shape (n, N).
pub(crate) fn rows<'py, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [Square; N]>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = rows.flatten().map(Square::to_byte).collect();
    array(py, &bytes, "u1", &[bytes.len() / N, N])
}

/// Floats, of shape (n,).
pub(crate) fn floats<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    array(py, &bytes, "<f8", &[numbers.len()])
}
