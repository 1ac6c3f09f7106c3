"""Reports that the repository keeps: who writes them, and which of them still hold."""

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tuning import provenance, reports
from tuning.command import main
from tuning.data import Table, write_json, write_report
from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.reports import Report, check_report_options, judge, kept_reports, report_folder


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with one commit, in place of this one."""
    root = tmp_path / "repository"
    (root / "tuning" / "reports").mkdir(parents=True)
    for name in ("engine.rs", "tuning/reports/old.md"):
        (root / name).write_text("first\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *words], cwd=root, check=True)
    monkeypatch.setattr(provenance, "ROOT", root)
    monkeypatch.setattr(reports, "ROOT", root)
    monkeypatch.setattr(reports, "REPORTS", root / "tuning" / "reports")
    return root


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    reports.add_report_options(parser, "somewhere")
    return parser.parse_args(words)


def test_only_publish_writes_kept_reports(repository: Path, tmp_path: Path) -> None:
    kept = repository / "tuning" / "reports"
    default = tmp_path / "state" / "report"
    assert report_folder(asked(), "curve", default) == default
    assert report_folder(asked("--report", "there"), "curve", default) == Path("there")
    assert report_folder(asked("--publish"), "curve", default) == kept / "curve"
    assert report_folder(asked("--publish", "fast"), "curve", default) == kept / "fast"
    check_report_options(asked("--report", str(tmp_path / "mine")))
    with pytest.raises(InputError, match=r"expected a folder outside of tuning/reports, or --publish"):
        check_report_options(asked("--report", str(kept / "curve")))
    for name in ("../out", ".hidden"):
        with pytest.raises(InputError, match="expected the name of a folder"):
            check_report_options(asked("--publish", name))


def test_publish_wants_a_tree_without_changes(repository: Path) -> None:
    check_report_options(asked("--publish"))
    # Neither a report nor an untracked file alters what is measured.
    (repository / "tuning" / "reports" / "old.md").write_text("second\n")
    (repository / "notes").write_text("mine\n")
    check_report_options(asked("--publish"))
    assert not provenance.commit().endswith("+")
    (repository / "engine.rs").write_text("second\n")
    assert provenance.commit().endswith("+")
    with pytest.raises(InputError, match=r"--publish: engine\.rs differ from commit"):
        check_report_options(asked("--publish"))


def test_reports_are_judged_by_what_they_are_about(repository: Path) -> None:
    kept = repository / "tuning" / "reports"
    (repository / "weights.json").write_text("weights\n")
    same = reports.digest(repository / "weights.json")
    command = "tuning/python -m tuning curve --board 8 --state there --report=here --publish --seed 2"
    for name, about in {
        "a": {"signature": "1" * 16},
        "b": {"signature": "2" * 16, "command": command},
        "c": {"shipped": "weights.json", "digest": same},
        "d": {"shipped": "weights.json", "digest": "other"},
        "e": {"engine": "none"},
        "f": {},
    }.items():
        (kept / name).mkdir()
        (kept / name / "report.md").write_text("#\n")
        write_json(kept / name / "report.json", about)
    commit = "c" * 9
    for name, line in {
        "README": "no report",
        "p": f"Engine: signature `{'1' * 16}`, commit {commit}.",
        "q": f"# Title\n\nEngine: signature `{'2' * 16}`, commit {commit}, on an idle machine.",
        "r": "Engine: earlier versions; this page is history.",
        "s": "Engine: none.",
    }.items():
        (kept / f"{name}.md").write_text(line + "\n")
    found = kept_reports(kept)
    verdicts = {one.name: judge(one, lambda: "1" * 16)[0] for one in found}
    assert verdicts == {
        **{"a": "current", "b": "stale", "c": "current", "d": "stale", "e": "current", "f": "unknown"},
        **{"old": "unknown", "p": "current", "q": "stale", "r": "history", "s": "current"},
    }
    assert found[1].renewal == "tuning/python -m tuning curve --board 8 --seed 2 --publish b"
    assert Report("x", {}).renewal == ""
    (kept / "a" / "report.json").write_text('{"format": "other"}')
    with pytest.raises(InputError, match="format 'other', expected 'quiver report 1'"):
        kept_reports(kept)


def test_the_command_names_stale_reports(
    repository: Path, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = repository / "tuning" / "reports"
    (kept / "curve").mkdir()
    (kept / "curve" / "report.md").write_text("#\n")
    about = {"board": 6, "command": "tuning/python -m tuning curve", "commit": "c" * 40}
    write_json(kept / "curve" / "report.json", {**about, "signature": engine.signature()})
    assert main(["reports"]) == 0
    assert "current" in capsys.readouterr().out
    write_json(kept / "curve" / "report.json", {**about, "signature": "0123"})
    assert main(["reports"]) == 1
    told = capsys.readouterr().out
    assert (
        "stale    of signature 0123" in told and "old                    unknown  says no signature" in told
    )
    state = f"--state target/tuning/curve-{engine.signature()[:8]}"
    assert f"tuning/python -m tuning curve --publish curve {state}" in told


def test_tables_are_written_for_programs(tmp_path: Path) -> None:
    table = Table("steps", ["x"], [["1"]], [{"x": 1, "elo": 2.5}, {"x": 2, "elo": float("inf")}])
    write_report(tmp_path, ["# Title", "", *table.markdown()], {"board": 8}, [table])
    about = json.loads((tmp_path / "report.json").read_text())
    assert about["board"] == 8 and about["tables"]["steps"] == [{"x": 1, "elo": 2.5}, {"x": 2, "elo": None}]
    with (tmp_path / "steps.csv").open() as file:
        assert list(csv.DictReader(file)) == [{"x": "1", "elo": "2.5"}, {"x": "2", "elo": ""}]
    assert (tmp_path / "report.md").read_text() == "# Title\n\n| x |\n|---|\n| 1 |\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a folder that can be written to"):
        write_report(tmp_path / "file", [], {}, [])


def test_a_closed_pipe_is_no_error(engine: Engine) -> None:
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "tuning", "reports"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=here)
    assert run.stdout is not None and run.stderr is not None
    run.stdout.close()
    errors = run.stderr.read()
    assert run.wait() == 0 and errors == b"", errors
