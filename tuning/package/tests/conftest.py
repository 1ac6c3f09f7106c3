"""Test data and a fixture that several test files use."""

import os
import subprocess
from pathlib import Path

import pytest

DATA = Path(__file__).parents[3] / "tests" / "data"


@pytest.fixture
def program():
    if "QUIVER" not in os.environ:
        pytest.skip("QUIVER names no engine")

    def run(*arguments):
        command = [os.environ["QUIVER"], *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run
