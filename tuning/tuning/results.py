"""Results of experiments: a JSON file each, which says what was measured, of which engine, and how."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuning.experiments import Experiment
from tuning.files import read_checked, write_checked
from tuning.matches.engine import Engine
from tuning.provenance import ROOT

RESULTS = ROOT / "tuning" / "results"
"""The results that the repository keeps."""

FORMAT = "quiver result 1"


def write_result(path: Path, fields: Mapping[str, Any]) -> None:
    write_checked(path, FORMAT, fields)


def read_result(path: Path) -> dict[str, Any]:
    """Return a result; without fields if there is none yet."""
    advice = "restore it, or remove it and measure again"
    return read_checked(path, FORMAT, "the result of an experiment", advice) or {}


def judge(experiment: Experiment, result: Mapping[str, Any], engine: Engine) -> tuple[str, str]:
    """Compare a result with its experiment and with the engine that stands.

    Return its state ("current", "stale" or "missing") and the cause.
    """
    if not result:
        return "missing", "never measured"
    now, then = engine.checksums(experiment.board), result.get("play", {})
    name = "signature" if experiment.depends == "play" else experiment.depends
    if then.get(name) != now[name]:
        was = then.get(name) or "of an earlier version"
        return "stale", f"{name} {was}, the engine has {now[name]}"
    if result.get("key") not in (None, experiment.key):
        return "stale", "the experiment has changed since"
    if experiment.depends == "play" and result["engine"].get("tree") == "changed":
        return "stale", "measured by an engine with changes that no commit has"
    return "current", f"{name} {now[name]}"
