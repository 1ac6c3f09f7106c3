"""The workflow that makes a release: the scripts that it runs are here, and the tests run them."""

import os
import re

import yaml

from tuning.provenance import ROOT

WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_workflow_runs_scripts_that_exist() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    lines = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    named = set(re.findall(r"(?:tests|tuning)/[\w./-]+", "\n".join(lines)))
    assert {"tests/release/pack", "tests/release/wheel"} <= named
    for path in named:
        assert (ROOT / path).is_file(), path
        assert not path.startswith("tests/") or os.access(ROOT / path, os.X_OK), path


def test_readme_names_every_file_of_a_release() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    for row in jobs["build"]["strategy"]["matrix"]["include"]:
        assert f"quiver-{row['target']}.tar.gz" in README
    for name in ("quiver-8x8.cpp", "quiver-10x10.cpp", ".whl", "SHA256SUMS"):
        assert name in README
