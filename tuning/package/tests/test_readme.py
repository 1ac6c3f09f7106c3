"""The examples of the README run, one after the other."""

import re
import tomllib
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
    assert len(examples) == 5
    # The agent learns: it plays like chance at first, and wins nine games of ten in the end.
    scores = names["scores"]
    assert isinstance(scores, list)
    assert scores[0] <= 0.7
    assert scores[-1] >= 0.9
    assert (tmp_path / "curve.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    for expected in ("2000 playouts", "<Solution: winner 0", "player_1 ends with 1"):
        assert expected in printed, printed


def test_installed_packages_are_those_that_examples_import() -> None:
    text = README.read_text()
    project = tomllib.loads((README.parent / "pyproject.toml").read_text())["project"]
    named = re.search(r"tuning/package\[([a-z,]+)\]", text)
    assert named is not None
    extras = [project["optional-dependencies"][extra] for extra in named[1].split(",")]
    installed = {re.split("[>=]", one)[0] for one in sum(extras, project["dependencies"])}
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) - {"quiver"}
    assert imported <= installed
