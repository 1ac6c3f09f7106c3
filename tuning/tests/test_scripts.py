"""Tests of the script `tuning/python`, and of the scripts that build a release."""

import os
import re
import shutil
import subprocess
import time

import yaml
from conftest import script

from tuning.provenance import ROOT

JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FAKE = """if [ "$1" != -m ]; then exit 0; fi
echo made >> "$RECORD"
mkdir -p "$3/bin"
printf '#!/bin/sh\\nexit 0\\n' > "$3/bin/python"
chmod +x "$3/bin/python"
read line < "$GO" || true
"""


def test_two_calls_at_once_make_one_environment(tmp_path):
    here = tmp_path / "tuning"
    here.mkdir()
    shutil.copy(ROOT / "tuning" / "python", here / "python")
    (here / "requirements.lock").write_text("")
    record, go = tmp_path / "record", tmp_path / "go"
    fake = script(tmp_path / "fake", FAKE)
    os.mkfifo(go)
    environment = {**os.environ, "PYTHON": str(fake), "RECORD": str(record), "GO": str(go)}

    def call(name):
        log = tmp_path / name
        with log.open("wb") as file:
            return subprocess.Popen([here / "python", "-c", ""], env=environment, stderr=file), log

    first, first_log = call("first")
    writer = os.open(go, os.O_WRONLY)
    second, second_log = call("second")
    while "waits for another call" not in second_log.read_text() and record.read_text() == "made\n":
        time.sleep(0.01)
    os.close(writer)
    assert (first.wait(), second.wait()) == (0, 0), second_log.read_text()
    assert record.read_text() == "made\n"
    assert "installs the packages" in first_log.read_text() and "installs" not in second_log.read_text()
    assert (tmp_path / "target" / "tuning-venv" / "requirements.lock").exists()


def test_workflow_runs_scripts_that_exist():
    lines = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    named = set(re.findall(r"(?:tests|tuning)/[\w./-]+", "\n".join(lines)))
    assert {"tests/release/pack", "tests/release/wheel"} <= named
    for path in named:
        assert (ROOT / path).is_file(), path
        assert not path.startswith("tests/") or os.access(ROOT / path, os.X_OK), path


def test_readme_names_every_file_of_a_release():
    for row in JOBS["build"]["strategy"]["matrix"]["include"]:
        ending = "zip" if "windows" in row["target"] else "tar.gz"
        assert f"quiver-{row['target']}.{ending}" in README
    for name in ("quiver-8x8.cpp", "quiver-10x10.cpp", ".whl", "SHA256SUMS"):
        assert name in README
