"""The examples of the README run, one after the other."""

import re
from pathlib import Path

import matplotlib
import pytest
from conftest import DATA

README = Path(__file__).parents[1] / "README.md"


def test_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib.use("agg")
    (tmp_path / "tests").symlink_to(DATA.parent)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for example in examples:
        exec(compile(example, str(README), "exec"), names)
    assert len(examples) == 4
    assert (tmp_path / "curve.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    for expected in ("2000 playouts", "<Solution: winner 0", "player_1 ends with 1"):
        assert expected in printed, printed
