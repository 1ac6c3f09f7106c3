"""Describes where a measurement comes from: its commit, machine, time and command."""

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tuning.errors import InputError

ROOT = Path(__file__).resolve().parents[2]

STATES_DIR = ROOT / "target" / "tuning"
"""The folder for the state folders of runs, and for the engines built from earlier commits."""


def commit() -> str:
    """Return the checked-out commit, with "+" if files have changed; "unknown" if git fails."""
    try:
        kept = [f":(exclude)tuning/{name}" for name in ("reports", "results")]
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *kept)
        return git("rev-parse", "HEAD").strip() + ("+" if changed else "")
    except (OSError, InputError):
        return "unknown"


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"git {' '.join(words)}: {done.stderr.strip()}, expected the command to succeed")
    return done.stdout


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def command_line() -> str:
    return shlex.join(["tuning/python", "-m", "tuning", *sys.argv[1:]])
