"""Files replaced whole, with every operation failing in turn, and files with a checksum."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from conftest import refuse_each

from tuning.errors import InputError
from tuning.files import read_checked, replace, write_checked


@pytest.mark.parametrize("ends", [False, True], ids=["a full disk", "the process ends"])
def test_name_holds_old_content_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    path = tmp_path / "state.json"
    failure: BaseException = KeyboardInterrupt() if ends else OSError(28, "No space left on device")
    for point in count():
        path.write_bytes(b"old")
        # Another process was ended before its file had its name.
        part = path.with_name("state.json.1.part")
        part.write_bytes(b"new")
        calls = count()

        def failing(
            operation: Callable[..., Any],
            point: int = point,
            calls: Any = calls,  # noqa: ANN401
        ) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:  # noqa: ANN401
                if next(calls) == point:
                    raise failure
                return operation(*arguments)

            return call

        with monkeypatch.context() as patch:
            for name in ("fsync", "replace"):
                patch.setattr(os, name, failing(getattr(os, name)))
            try:
                replace(path, b"new")
                acknowledged = True
            except (OSError, KeyboardInterrupt):
                acknowledged = False
        content = path.read_bytes()
        assert content == b"new" or (content == b"old" and not acknowledged)
        assert set(tmp_path.iterdir()) == {path, part}
        if acknowledged:
            # The bytes, the name and the folder.
            assert point == 3
            break


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


def test_a_replaced_file_has_the_mode_asked_for(tmp_path: Path) -> None:
    replace(tmp_path / "engine", b"", mode=0o755)
    assert os.access(tmp_path / "engine", os.X_OK)
