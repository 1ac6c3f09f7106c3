"""The simulation of clusters, by its own limits."""

import pytest
from conftest import Run

from tuning.commands.scale import _simulated


def test_simulated_cores_are_busy_until_something_else_limits_them() -> None:
    # Batches of two seconds, as many open as wanted, a driver that costs nothing.
    for cores in (1, 10, 200):
        rate, busy, driver = _simulated(cores, 2.0, 10**9, 0.0, 0.0)
        assert busy > 0.95 and driver == 0 and rate == pytest.approx(cores / 2, rel=0.2)
    # Half as many open batches as cores keep at most half of these busy.
    assert 0.3 < _simulated(100, 2.0, 50, 0.0, 0.0)[1] < 0.55
    # A driver that takes a second for a batch has at most one done a second.
    rate, busy, driver = _simulated(100, 2.0, 10**9, 0.0, 1e6)
    assert 0 < rate < 1.1 and busy < 0.05 and driver > 0.9


def test_table_names_what_limits(run: Run) -> None:
    told = run("scale", "--costs", "600", "100", "--batch", "20", "--r-end", "0.01")
    rows = [line.split(" | ") for line in told.splitlines() if "playouts" in line and line.startswith("| 1")]
    limits = {row[0].removeprefix("| "): row[4] for row in rows}
    assert limits["1"] == "the cores" and limits["1,000"] == "games in flight"
