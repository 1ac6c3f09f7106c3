"""Labels of a fit: the result, the search's value, or a mixture of both."""

import numpy as np

from tuning.rows import Rows


def labels(rows: Rows, index: np.ndarray, mix: float) -> np.ndarray:
    """Return the chance of winning, from 0 to 1, that a fit aims at for these rows.

    It is `mix` times the search's value plus the rest times the result; the search's value alone where the result
    does not count.
    """
    value = rows.fields["value"][index].astype(np.float32) / np.float32(65535)
    result = rows.fields["result"][index].astype(np.float32)
    mixed = np.float32(mix) * value + np.float32(1 - mix) * result
    return np.where(rows.result_usable(index), mixed, value)
