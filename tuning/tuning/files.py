"""Replaces files atomically, and reads and writes JSON files with a checksum.

After a crash of the process or the machine, a file has either its old content or its new content,
as with the engine's `files::Replacement`. If a JSON file is damaged later, reading it fails.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuning.errors import InputError, reading


def replace(path: Path, content: bytes, mode: int = 0o644) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def file_checksum(path: Path) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def checksum(fields: Mapping[str, Any]) -> str:
    """Return the checksum of a JSON object with these `fields`.

    `fields` must not include the field `checksum` itself.
    """
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def write_checked(path: Path, form: str, fields: Mapping[str, Any]) -> None:
    rest = {key: value for key, value in fields.items() if key not in ("format", "checksum")}
    fields = {"format": form} | rest
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, json_bytes(fields | {"checksum": checksum(fields)}))


def read_checked(path: Path, form: str, what: str, advice: str) -> dict[str, Any] | None:
    """Read a file that `write_checked` wrote: return its fields, or None if there is no file."""
    if not path.exists():
        return None
    with reading(path, f"{what}; {advice}"):
        fields = json.loads(path.read_text(encoding="utf-8"))
        file_format, stated = fields["format"], fields.pop("checksum", None)
    if file_format != form:
        raise InputError(f"{path}: format '{file_format}', expected '{form}'; {advice}")
    if stated != checksum(fields):
        raise InputError(
            f"{path}: checksum {checksum(fields)}, expected {stated}: the file is damaged or was edited by hand; "
            f"{advice}"
        )
    return fields


def json_bytes(fields: Mapping[str, Any]) -> bytes:
    """Return JSON bytes with a line for each field and each item of a list of lists or objects."""
    text = ",\n".join(f" {json.dumps(key)}: {_json_text(value)}" for key, value in fields.items())
    return f"{{\n{text}\n}}\n".encode()


def _json_text(value: Any) -> str:  # noqa: ANN401 (a value of JSON)
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        return "[\n" + ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in value) + "\n ]"
    if isinstance(value, dict) and any(isinstance(item, dict) for item in value.values()):
        rows = (f"  {json.dumps(name)}: {_json_text(item)}" for name, item in value.items())
        return "{\n" + ",\n".join(rows) + "\n }"
    if isinstance(value, dict) and "heads" in value:
        fields = (f"{json.dumps(name)}: {_json_text(item)}" for name, item in value.items())
        return "{" + ", ".join(fields) + "}"
    return json.dumps(value, ensure_ascii=False)
