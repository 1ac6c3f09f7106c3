"""Tests that README examples run, type stubs match the module, and docstrings exist."""

import __future__

import inspect
import re
import tomllib
from importlib import resources
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
            # After few games the net already wins more than before.
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
    installed = {re.split("[>=]", one)[0] for one in sum(extras, project["dependencies"])}
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) - {"quiver"}
    assert imported <= installed


def stubs():
    source = (resources.files("quiver") / "_native.pyi").read_text()
    names = {"__name__": "stubs"}
    exec(compile(source, "_native.pyi", "exec", __future__.annotations.compiler_flag), names)
    return {name: one for name, one in public(names).items() if getattr(one, "__module__", "") == "stubs"}


def public(names):
    return {name: one for name, one in names.items() if not name.startswith("_")}


def arguments(thing):
    parameters = inspect.signature(thing).parameters.values()
    return [(one.name, one.default) for one in parameters if one.name not in ("self", "cls")]


def test_stubs_are_those_of_the_module():
    assert stubs().keys() == public(vars(_native)).keys()
    checked = 0
    for name, stub in stubs().items():
        thing = getattr(_native, name)
        pairs = [(thing, stub)]
        if inspect.isclass(stub):
            assert public(vars(stub)).keys() == public(vars(thing)).keys(), name
            pairs = [(getattr(thing, member), getattr(stub, member)) for member in public(vars(stub))]
            pairs += [(thing, stub.__new__)] * ("__new__" in vars(stub))
        for member, stub_of_it in pairs:
            assert inspect.getdoc(member), f"{name}: {stub_of_it}"
            if not isinstance(stub_of_it, property):
                assert arguments(member) == arguments(stub_of_it), f"{name}: {stub_of_it}"
                checked += 1
    assert checked > 20


def test_everything_public_has_a_docstring():
    for thing in map(vars(quiver).get, quiver.__all__):
        assert not callable(thing) or inspect.getdoc(thing), thing
    for name in ("GAME", "PLY", "SHARE", "CANDIDATE", "MANNERS"):
        assert f"`{name}`" in str(inspect.getdoc(quiver.dtypes))
