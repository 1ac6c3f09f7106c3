"""Where and when something was measured."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path


def commit() -> str:
    """Return the commit that is checked out, with a mark if the tree differs from it; "unknown" outside of git."""
    try:
        here = {"capture_output": True, "text": True, "check": True, "cwd": Path(__file__).parent}
        head = subprocess.run(["git", "rev-parse", "HEAD"], **here).stdout.strip()
        changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], **here).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed.strip() else "")


def machine() -> str:
    """Return what this machine is, without its name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def now() -> str:
    """Return the present minute."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
