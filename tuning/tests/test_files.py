"""Files replaced whole, with every operation failing in turn, and files with a checksum."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from conftest import refuse_each

from tuning.errors import InputError
from tuning.files import read_checked, replace, write_checked


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_name_holds_old_content_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    path, part, done = tmp_path / "state.json", tmp_path / "state.json.1.part", []
    # Another process was ended before its file had its name.
    part.write_bytes(b"new")

    def failing(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:  # noqa: ANN401
            done.append(operation)
            if len(done) > point:
                raise failure
            return operation(*arguments)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    # The operations are those of the bytes, the name and the folder.
    for point in range(4):
        done.clear()
        path.write_bytes(b"old")
        with pytest.raises(type(failure)) if point < 3 else nullcontext():
            replace(path, b"new")
        assert path.read_bytes() == b"new" or (path.read_bytes() == b"old" and point < 3)
        assert set(tmp_path.iterdir()) == {path, part}


def read(path: Path) -> Any:  # noqa: ANN401
    return read_checked(path, "test 2", "a state", "restore it", "test 1")


def test_damaged_content_is_refused(tmp_path: Path) -> None:
    """A file that lost its end or a bit is refused, not read as another."""
    path = tmp_path / "state.json"
    assert read(path) is None
    write_checked(path, "test 2", {"runs": [{"date": "today", "command": "tune"}], "signature": "0123"})
    good, expected, refused = path.read_bytes(), read(path), 0
    cut = [good[:end] for end in range(len(good))]
    flipped = [bytearray(good) for _ in range(8 * len(good))]
    for bit, content in enumerate(flipped):
        content[bit // 8] ^= 1 << bit % 8
    for content in (*cut, *flipped):
        path.write_bytes(content)
        try:
            # Another blank between two fields, or none at the end, changes nothing.
            assert read(path) == expected
        except InputError as error:
            assert "expected" in str(error)
            refused += 1
    assert refused > 0.95 * (len(cut) + 8 * len(good.replace(b" ", b"")))
    cases = (
        (good.replace(b"today", b"later"), "was edited by hand; restore it"),
        (good.replace(b"test 2", b"test 0"), "format 'test 0', expected 'test 2'"),
        (good.replace(b"{", b"["), "expected a state; restore it"),
    )
    refuse_each(read, path, cases)
