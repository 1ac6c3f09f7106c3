"""Reads and writes results of experiments, and compares them with the current engine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuning.experiments import Experiment
from tuning.files import read_checked, write_checked
from tuning.matches.engine import Engine
from tuning.provenance import ROOT

RESULTS = ROOT / "tuning" / "results"

FORMAT = "quiver result 1"


def write_result(path: Path, fields: Mapping[str, Any]) -> None:
    write_checked(path, FORMAT, fields)


def read_result(path: Path) -> dict[str, Any]:
    """Read an experiment's result from a file and return it, or {} if the file does not exist."""
    advice = "restore it, or remove it and measure again"
    return read_checked(path, FORMAT, "the result of an experiment", advice) or {}


def result_status(experiment: Experiment, result: Mapping[str, Any], engine: Engine) -> tuple[str, str]:
    """Return whether a result is "current", "stale" or "missing" for an engine, and the reason."""
    if not result:
        return "missing", "never measured"
    now, then = engine.checksums(experiment.board), result.get("play", {})
    name = "signature" if experiment.depends == "play" else experiment.depends
    if then.get(name) != now[name]:
        was = then.get(name) or "of an earlier version"
        return "stale", f"{name} {was}, the engine has {now[name]}"
    if result.get("key") not in (None, experiment.definition_hash):
        return "stale", "the experiment has changed since"
    if experiment.depends == "play" and result["engine"].get("tree") == "changed":
        return "stale", "measured by an engine with uncommitted changes"
    return "current", f"{name} {now[name]}"
