"""Tests of the command `sprt`, whose engines are given as files or as commits."""

import shlex
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import assert_documented, script

from tuning import provenance
from tuning.commands import options
from tuning.errors import InputError
from tuning.matches.engine import engine_of
from tuning.results import read_result


@pytest.fixture
def states(tmp_path, monkeypatch):
    folder = tmp_path / "states"
    monkeypatch.setattr(options, "STATES_DIR", folder)
    return folder


def test_a_change_is_tested_and_kept(engine, states, tmp_path, run):
    # The old engine is a script that always plays with one playout.
    whole = f'exec {shlex.quote(str(engine.path))} "$@"'
    weak = f"sed -u 's/^go nodes.*/go nodes 1/' | {whole}"
    old = script(tmp_path / "weak", f'if [ "$1" != uci ]; then {whole}; fi\n{weak}\n')
    line = ["--new", str(engine.path), "--old", str(old), "--board", "6", "--playouts", "30", "--batch", "10"]
    line += ["--sprt", "0,150", "--max-games", "200", "--workers", "2"]
    output = run("sprt", *line)
    assert "accepted: " in output and "Elo over the old engine after" in output
    (state,) = states.glob("sprt-*")
    result = read_result(state / "result.json")
    assert_documented(result)
    (row,) = result["rows"]
    assert row["verdict"] == "accepted" and row["llr"] >= row["bound"] and 10 <= row["games"] < 200
    assert row["faults"] == 0 and result["new"] == str(engine.path)
    # If the command runs again, it plays no game, so the recorded times stay the same.
    run("sprt", *line)
    assert read_result(state / "result.json")["rows"] == [row]


def test_commits_are_built_once(tmp_path, monkeypatch):
    root, builds = tmp_path / "repository", tmp_path / "engines"
    root.mkdir()
    monkeypatch.setattr(provenance, "ROOT", root)
    provenance.git("init", "-q")
    for name in ("one", "two", "broken"):
        (root / "source").write_text(name)
        provenance.git("add", ".")
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        provenance.git(*identity, "commit", "-q", "-m", f"Write {name}")
    build = (
        f'echo "$*" >> {tmp_path}/calls\n'
        "if grep -q broken source; then echo 'error: it is broken' >&2; exit 101; fi\n"
        'sleep 0.5; mkdir -p "$5/release"; cp source "$5/release/quiver"\n'
    )
    monkeypatch.setenv("CARGO", str(script(tmp_path / "cargo", build)))
    one = engine_of("HEAD~2", builds)
    assert one.path.read_text() == "one" and one.name.endswith("Write one") and one.commit
    with ThreadPoolExecutor() as pool:
        for two in pool.map(engine_of, ["HEAD~1"] * 2, [builds] * 2):
            assert two.path.read_text() == "two"
    assert engine_of(one.commit, builds) == one
    assert (tmp_path / "calls").read_text().count("build --release --locked --target-dir") == 2
    with pytest.raises(InputError, match="does not build: error: it is broken"):
        engine_of("HEAD", builds)
    with pytest.raises(InputError, match="'--all': expected a commit of this repository, or an engine's"):
        engine_of("--all", builds)
    # No git worktree is left, and the checked-out files are unchanged.
    assert provenance.git("worktree", "list").count("\n") == 1
    assert provenance.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--new a --time 1", "the following arguments are required: --old"),
        ("--new a --old b", "one of the arguments --playouts --time is required"),
        ("--new a --old b --time 1 --sprt 5,0", "expected ELO0,ELO1 with ELO0 below"),
        (
            "--new nothing --old nothing --playouts 5",
            "'nothing': expected a commit of this repository, or an",
        ),
        ("--new HEAD --old nothing --playouts 5", "'nothing': expected a commit of this repository, or an"),
        (
            "--new /bin/true --old /bin/true --playouts 5",
            "/true params --format json: Expecting value: line 1",
        ),
    ],
)
def test_what_is_no_test_is_refused(states, refused, words, message, monkeypatch):
    monkeypatch.setattr("tuning.matches.engine._build", lambda *_: pytest.fail("nothing is to be built"))
    refused(message, "sprt", *words.split())
    assert provenance.ROOT.exists() and not states.exists()
