"""Tables of reports: Markdown for people, CSV and JSON for programs."""

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuning.errors import InputError

FORMAT = "quiver report 1"
"""The format of `report.json`."""

Value = float | int | str | None


@dataclass(frozen=True)
class Table:
    """A table of a report, as text and as values."""

    name: str
    """The name of its CSV file, without the ending."""
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, Value]]
    """One a row. All records have the same names in the same order."""

    def markdown(self) -> list[str]:
        """Return the table as lines of Markdown."""
        return markdown(self.heads, self.rows)


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines of Markdown."""
    return [
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
        *[f"| {' | '.join(row)} |" for row in rows],
    ]


def write_report(
    folder: Path, lines: Sequence[str], provenance: Mapping[str, Any], tables: Sequence[Table]
) -> Path:
    """Write `report.md`, `report.json` with provenance and tables, and a CSV file for each table.

    A number without a value (infinite, or not a number) is null in JSON and empty in CSV.
    """
    path = folder / "report.md"
    finite = {
        table.name: [{name: _finite(value) for name, value in record.items()} for record in table.records]
        for table in tables
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
        write_json(folder / "report.json", {**provenance, "tables": finite})
        for name, records in finite.items():
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(records[0]) if records else [], lineterminator="\n")
                writer.writeheader()
                writer.writerows(records)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}, expected a folder that can be written to") from error
    return path


def write_json(path: Path, about: Mapping[str, Any]) -> None:
    """Write what a program reads of a report."""
    path.write_text(json.dumps({"format": FORMAT, **about}, indent=2) + "\n", encoding="utf-8")


def _finite(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value
