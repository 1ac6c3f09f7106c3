"""Files replaced whole, with every operation failing in turn, and files with a checksum."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tuning.errors import InputError
from tuning.files import read_checked, replace, write_checked


@pytest.mark.parametrize("ends", [False, True], ids=["a full disk", "the process ends"])
def test_name_holds_old_content_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    path = tmp_path / "state.json"
    failure: BaseException = KeyboardInterrupt() if ends else OSError(28, "No space left on device")
    for point in count():
        path.write_bytes(b"old")
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
        assert [file.name for file in tmp_path.iterdir()] == ["state.json"]
        if acknowledged:
            # The bytes, the name and the folder.
            assert point == 3
            break


def read(path: Path) -> Any:  # noqa: ANN401
    return read_checked(path, "test 2", "a state", "restore it", "test 1")


def test_the_power_may_fail_at_any_byte(tmp_path: Path) -> None:
    """A part that was cut anywhere is no state; the state is the old one before its name changes, the new one after."""
    path, fields = tmp_path / "state.json", {"runs": [{"date": "today", "command": "tune"}]}
    write_checked(path, "test 2", fields | {"id": "new"})
    content = path.read_bytes()
    for written in range(len(content) + 1):
        write_checked(path, "test 2", fields | {"id": "old"})
        part = path.with_name(f"{path.name}.1.part")
        part.write_bytes(content[:written])
        assert read(path)["id"] == "old"
        # The next process writes its own, whatever the last one left.
        replace(path, content)
        assert read(path)["id"] == "new"
        # A disk that lost bytes of a file after its name: the file is refused, not read as another.
        path.write_bytes(content[:written])
        if content[written:].strip():
            with pytest.raises(InputError, match="expected"):
                read(path)
    assert read(tmp_path / "none") is None


def test_any_flipped_bit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_checked(path, "test 2", {"runs": [{"date": "today", "command": "tune"}], "signature": "0123"})
    good, expected, refused = path.read_bytes(), read(path), 0
    for bit in range(8 * len(good)):
        broken = bytearray(good)
        broken[bit // 8] ^= 1 << bit % 8
        path.write_bytes(broken)
        try:
            # Another blank between two fields changes nothing.
            assert read(path) == expected
        except InputError as error:
            assert "expected" in str(error)
            refused += 1
    assert refused > 0.95 * 8 * len(good.replace(b" ", b""))


def test_a_replaced_file_has_the_mode_asked_for(tmp_path: Path) -> None:
    replace(tmp_path / "engine", b"", mode=0o755)
    assert os.access(tmp_path / "engine", os.X_OK)
