"""Renders the reports in `tuning/reports` and the results table of the README from templates."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from tuning.curves import picture_of
from tuning.errors import InputError, reading
from tuning.matches.outcome import elo_text
from tuning.matches.progress import print_message
from tuning.provenance import ROOT
from tuning.results import RESULTS, read_result

TEMPLATES, REPORTS = ROOT / "tuning" / "templates", ROOT / "tuning" / "reports"
README = ROOT / "README.md"
README_MARKERS = ("<!-- results: rendered by tuning -->", "<!-- end of results -->")

BOARDS = (8, 10)


def render(results: Path = RESULTS) -> dict[Path, str]:
    pages = _TemplateFunctions(results)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    names = (name for name in dir(pages) if not name.startswith("_"))
    environment.globals = {name: getattr(pages, name) for name in names} | {"BOARDS": BOARDS}
    texts = {}
    for name in sorted(environment.list_templates()):
        with reading(TEMPLATES / name, "a template that the stored results can fill", TemplateError):
            texts[name] = environment.get_template(name).render()
    table = texts.pop("readme.md")
    files = {REPORTS / name: text for name, text in (texts | pages.pictures).items()}
    parts = re.split("|".join(map(re.escape, README_MARKERS)), README.read_text(encoding="utf-8"))
    if len(parts) != 3:
        raise InputError(f"{README}: expected one line '{README_MARKERS[0]}' and one '{README_MARKERS[1]}'")
    return files | {README: f"{parts[0]}{README_MARKERS[0]}\n{table.strip()}\n{README_MARKERS[1]}{parts[2]}"}


def write_reports() -> None:
    for path, text in render().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print_message(f"rendered {path}")


class _TemplateFunctions:
    """The functions that templates can call. They return results, or Markdown made from results."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._read = cache(read_result)
        self.pictures: dict[str, str] = {}

    def result(self, name: str) -> dict[str, Any]:
        path = self._results / f"{name}.json"
        if not (result := self._read(path)):
            raise InputError(f"{path}: no such file, expected a result that a template uses")
        return result

    def results(self, base: str) -> dict[int, dict[str, Any]]:
        paths = {board: self._results / f"{base}-{board}.json" for board in range(4, 11)}
        return {board: self.result(f"{base}-{board}") for board, path in paths.items() if path.is_file()}

    def _row(self, name: str, row: str) -> dict[str, Any]:
        return {fields["row"]: fields for fields in self.result(name)["rows"]}[row]

    def version_link(self, result: Mapping[str, Any], row: Mapping[str, Any] | None = None) -> str:
        """Return a link to a result's file. Its text is the commit of the measured engine."""
        engine = (row or {}).get("engine") or result["engine"]
        commit = str(engine["commit"])[:7]
        mark = "+" if engine.get("tree") == "changed" else ""
        carried = "\\*" if "carried" in result else ""
        return f"[{commit}{mark}](../results/{result['experiment']}.json){carried}"

    def match_table(self, base: str, what: str) -> str:
        """Return a table of matches: score and Elo on each board. `what` is the first heading."""
        results = self.results(base)
        heads = [what]
        rows: dict[str, list[str]] = {row["row"]: [] for result in results.values() for row in result["rows"]}
        for board, result in results.items():
            heads += [f"{board}x{board}", "Elo", "version"]
            played = {row["row"]: row for row in result["rows"]}
            for name, cells in rows.items():
                row = played.get(name)
                cells += (
                    [_score_text(row), elo_text(row), self.version_link(result, row)] if row else ["", "", ""]
                )
        lines = [[name.removesuffix(" time=0.05"), *cells] for name, cells in rows.items()]
        return _markdown_table(heads, lines) if results else _unmeasured_text(base)

    def table(self, name: str, table: str, *, transposed: bool = False) -> str:
        content = self.result(name)["tables"][table]
        lines = [content["heads"], *content["rows"]]
        if transposed:
            lines = [list(line) for line in zip(*lines, strict=True)]
        return _markdown_table(lines[0], lines[1:])

    def cell(self, name: str, table: str, row: str, head: str) -> str:
        content = self.result(name)["tables"][table]
        return next(cells for cells in content["rows"] if row in cells[:2])[content["heads"].index(head)]

    def ladder(self, board: int) -> str:
        content = self.result(f"ladder-{board}")["tables"]["ladder"]
        return _markdown_table(["player", *content["heads"][2:5]], [row[1:5] for row in content["rows"]])

    def tables(self, name: str) -> str:
        tables = self.result(name).get("tables", {}).values()
        return "\n\n".join(_markdown_table(table["heads"], table["rows"]) for table in tables)

    def list_table(self, name: str, row: str, path: str, fields: Mapping[str, str]) -> str:
        """Return a table of a JSON list: a row for each item, and a column for each field."""
        items = _at_path(self._row(name, row)["value"], path)
        rows = [[_number_text(item[field]) for field in fields] for item in items]
        return _markdown_table(list(fields.values()), rows)

    def values_table(self, base: str, fields: Mapping[str, str]) -> str:
        """Return a table of commands' output: a row for each field, a column for each command."""
        results = self.results(base)
        columns = [(board, result, row) for board, result in results.items() for row in result["rows"]]
        heads = ["", *[f"{board}x{board}, {row['row']}" for board, _, row in columns]]
        values = [row["value"] for _, _, row in columns]
        rows = [
            [head, *[_number_text(_at_path(value, path)) for value in values]]
            for path, head in fields.items()
        ]
        rows.append(["version", *[self.version_link(result, row) for _, result, row in columns]])
        return _markdown_table(heads, rows) if results else _unmeasured_text(base)

    def cells_of_both_boards(self, base: str, row: str, path: str = "") -> str:
        """Return cells for 8x8 and 10x10: a match's score, or a command's output at `path`."""
        rows = [self._row(f"{base}-{board}", row) for board in BOARDS]
        return " | ".join(
            _number_text(_at_path(fields["value"], path)) if path else _score_text(fields) for fields in rows
        )

    def mean_gains(self, base: str) -> str:
        """Return cells for 8x8 and 10x10: a chain's mean Elo gain from player to player."""
        chains = [[row["elo"] for row in self.result(f"{base}-{board}")["rows"]] for board in BOARDS]
        return " | ".join(f"{sum(steps) / len(steps):+.0f}" for steps in chains)

    def version_links(self, base: str, row: str | None = None) -> str:
        names = [f"{base}-{board}" for board in BOARDS]
        links = [
            self.version_link(self.result(name), self._row(name, row) if row else None) for name in names
        ]
        links = [link.replace("../results", "tuning/results") for link in links]
        same = len({link.partition("]")[0] for link in links}) == 1
        return links[0] if same else ", ".join(links)

    def curve(self, base: str) -> str:
        results = self.results(base)
        title = next(result["question"] for result in results.values())
        lines = {f"{board}x{board}": result["rows"] for board, result in results.items()}
        self.pictures[f"{base}.svg"] = picture_of(title, lines).draw("svg").decode()
        return f"![{title}]({base}.svg)"


def _markdown_table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _at_path(value: Any, path: str) -> Any:  # noqa: ANN401 (values of JSON)
    """Return the part of a JSON value at a path such as `boards.0.cpu`; None if it is missing."""
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else (value or {}).get(name)
    return value


def _score_text(row: Mapping[str, Any]) -> str:
    return f"{row['wins']} - {row['games'] - row['wins']}"


def _unmeasured_text(base: str) -> str:
    return f"Not measured yet: `tuning/python -m tuning measure --only {base}`."


def _number_text(value: object) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:,.4g}"
    return "" if value is None else str(value)
