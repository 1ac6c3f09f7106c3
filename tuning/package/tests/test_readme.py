"""Tests that README examples run, type stubs match the module, and docstrings exist."""

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import matplotlib
import quiver
from conftest import DATA
from quiver import _native

README = Path(__file__).parents[1] / "README.md"


def test_examples_run(tmp_path, monkeypatch, capsys):
    matplotlib.use("agg")
    (tmp_path / "tests").symlink_to(DATA.parent)
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for example in examples:
        names = {}
        exec(compile(example, str(README), "exec"), names)
        if "scores" in names:
            # Training on few games must already raise the network's score against `greedy`.
            first, last = names["scores"]
            assert first == 0 and last >= 0.15, names["scores"]
    assert len(examples) == 5
    assert (tmp_path / "curve.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    for expected in ("2000 playouts", "<Solution: winner 0", "player_1 ends with 1"):
        assert expected in printed, printed


def test_installed_packages_are_those_that_examples_import():
    text = README.read_text()
    project = tomllib.loads((README.parent / "pyproject.toml").read_text())["project"]
    named = re.search(r"tuning/package\[([a-z,]+)\]", text)
    assert named is not None
    extras = [project["optional-dependencies"][extra] for extra in named[1].split(",")]
    installed = {re.split("[>=]", requirement)[0] for requirement in sum(extras, project["dependencies"])}
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) - {"quiver"}
    assert imported <= installed


def test_stubs_are_those_of_the_module(tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text("quiver._native.__all__\n")
    stubtest = [sys.executable, "-m", "mypy.stubtest", "quiver._native", "--allowlist", allowed]
    done = subprocess.run(stubtest, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_has_a_docstring():
    for thing in map(vars(quiver).get, quiver.__all__):
        assert not callable(thing) or inspect.getdoc(thing), thing
    for kind in filter(inspect.isclass, vars(_native).values()):
        for name, member in vars(kind).items():
            assert name.startswith("_") or inspect.getdoc(member), f"{kind}: {name}"
    for name in ("GAME", "PLY", "SHARE", "CANDIDATE", "MANNERS"):
        assert f"`{name}`" in str(inspect.getdoc(quiver.dtypes))
