"""Files replaced whole, with every operation failing in turn."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tuning.files import replace


@pytest.mark.parametrize("ends", [False, True], ids=["a full disk", "the process ends"])
def test_a_name_holds_the_old_content_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
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
