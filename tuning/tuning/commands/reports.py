"""Lists the reports under tuning/reports that belong to another engine than the current one, and how to renew them.

The signature of `quiver bench` identifies an engine, the digest of the shipped file a fit. The exit
status is 1 if a report is stale.
"""

import argparse
import functools
from pathlib import Path

from tuning.matches.engine import Engine
from tuning.reports import judge, kept_reports


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    command.add_argument(
        "--engine", type=Path, metavar="FILE", help="the engine (default: QUIVER, or target/release/quiver)"
    )


def run(args: argparse.Namespace) -> int:
    """Print a line for each report; return the exit status."""
    signature = functools.cache(Engine.find(args.engine).signature)
    stale = []
    for report in kept_reports():
        verdict, why = judge(report, signature)
        commit = report.about.get("commit")
        print(f"{report.name:22} {verdict:8} {why}" + (f", commit {commit[:9]}" if commit else ""))
        if verdict == "stale":
            stale.append(report)
    if not stale:
        return 0
    print("\nThese commands renew the stale reports. They begin new states, since another engine plays:\n")
    for report in stale:
        # A fit has no state, and a page written by hand shows its commands.
        state = f" --state target/tuning/{report.name}-{signature()[:8]}"
        command = report.renewal + ("" if "shipped" in report.about else state)
        print(command if report.renewal else f"# the commands in tuning/reports/{report.name}.md")
    return 1
