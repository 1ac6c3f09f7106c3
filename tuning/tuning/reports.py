"""The reports that the repository keeps: who may write them, and which of them still hold.

A report is a folder, written by a command, with `report.md` and its provenance in `report.json`:

    signature   what `quiver bench` said of the engine that played
    shipped     instead: a file of the repository that the report is about, with its `digest`
    commit      the commit that the engine, or the fit, was of
    command     the command that wrote the report

Or it is a page `NAME.md`, written by hand. One line of it begins with "Engine:" and has the signature and the commit,
or "earlier versions" where the page is kept as history, or "none" where no engine played.
"""

import argparse
import hashlib
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuning.data import FORMAT
from tuning.errors import InputError
from tuning.provenance import ROOT, changed_files, commit

REPORTS = ROOT / "tuning" / "reports"

ENGINE = re.compile(
    r"^Engine: (?:(?P<engine>none|earlier versions)"
    r"|signature `(?P<signature>[0-9a-f]{16})`, commit (?P<commit>[0-9a-f]{7,40}))\b",
    re.MULTILINE,
)
"""The line of a page that says which engine it is about."""


def add_report_options(command: argparse.ArgumentParser, default: str) -> None:
    """Declare where the report goes."""
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--report", type=Path, metavar="DIR", help=f"the folder of the report (default: {default})"
    )
    where.add_argument(
        "--publish",
        nargs="?",
        const="",
        metavar="NAME",
        help="write the report to tuning/reports/NAME, from a tree without changes",
    )


def check_report_options(args: argparse.Namespace) -> None:
    """Refuse a folder that is not this command's to write."""
    if args.publish is not None:
        if "/" in args.publish or args.publish.startswith("."):
            raise InputError(f"--publish {args.publish}: expected the name of a folder")
        now = commit()
        if now == "unknown":
            raise InputError("--publish: no git repository here, expected one: a report names its commit")
        if changed := changed_files():
            raise InputError(
                f"--publish: {', '.join(changed[:3])} differ from commit {now[:9]}, expected no changes to "
                "tracked files outside of tuning/reports: commit them first"
            )
    elif args.report is not None and args.report.resolve().is_relative_to(REPORTS):
        raise InputError(f"--report {args.report}: expected a folder outside of tuning/reports, or --publish")


def report_folder(args: argparse.Namespace, name: str, default: Path) -> Path:
    """Return the folder that the options name; `name` is that of a published report."""
    if args.publish is not None:
        return REPORTS / (args.publish or name)
    return args.report or default


def digest(path: Path) -> str:
    """Return what tells a file's bytes from others."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Report:
    """A report that the repository keeps."""

    name: str
    about: dict[str, Any]
    """Its provenance; empty where the report says none."""

    @property
    def renewal(self) -> str:
        """The command that renews it; empty where the report names none."""
        kept, value_follows = [], False
        for word in shlex.split(self.about.get("command", "")):
            if word.partition("=")[0] in ("--state", "--report", "--publish", "--engine"):
                value_follows = "=" not in word
            elif value_follows and not word.startswith("--"):
                value_follows = False
            else:
                kept.append(word)
                value_follows = False
        return shlex.join([*kept, "--publish", self.name]) if kept else ""


def kept_reports(folder: Path | None = None) -> list[Report]:
    """Return all reports under a folder, by name; without one, those of the repository."""
    folder = folder or REPORTS
    found = []
    for path in sorted([*folder.glob("*/report.md"), *folder.glob("*.md")]):
        if path.name == "README.md":
            continue
        if path.parent == folder:
            found.append(Report(path.stem, _about(path)))
        else:
            found.append(Report(path.parent.name, _provenance(path.with_suffix(".json"))))
    return found


def _about(page: Path) -> dict[str, Any]:
    said = ENGINE.search(page.read_text(encoding="utf-8"))
    return {name: value for name, value in said.groupdict().items() if value} if said else {}


def _provenance(path: Path) -> dict[str, Any]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            raise InputError(f"{path}: format '{about['format']}', expected '{FORMAT}'")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {error!r}, expected the provenance of a report") from error
    return about


def judge(report: Report, signature: Callable[[], str]) -> tuple[str, str]:
    """Return "current", "stale", "history" or "unknown", and why; `signature` is that of the engine that stands."""
    about = report.about
    if "shipped" in about:
        path = ROOT / about["shipped"]
        now = digest(path) if path.is_file() else "missing"
        if now == about.get("digest"):
            return "current", f"of the shipped {about['shipped']}"
        return "stale", f"of a file with digest {about.get('digest')}, {about['shipped']} has {now}"
    if about.get("engine") == "none":
        return "current", "of no engine"
    if about.get("engine") == "earlier versions":
        return "history", "of earlier versions"
    if about.get("signature") is None:
        return "unknown", "says no signature"
    now = signature()
    if now == about["signature"]:
        return "current", f"of signature {now}"
    return "stale", f"of signature {about['signature']}, the engine has {now}"
