"""Files of rows: read, or refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest
from conftest import header, write

from tuning.errors import InputError
from tuning.rows import read_rows


def test_a_file_is_read_by_what_it_says_of_itself(sample: Path) -> None:
    rows = read_rows(sample)
    index = np.array([0, 1, 41, 39_999])
    assert len(rows) == 40_000
    assert rows.fields["game"][index].tolist() == [0, 0, 1, 999]
    assert rows.half(index).tolist() == [False, True, True, True]
    assert rows.result_usable(index).tolist() == [True, True, False, True]
    assert [column.name for column in rows.of_role("term")] == ["t1", "c2", "tempo", "never"]
    assert [(column.name, column.unit) for column in rows.of_role("phase")] == [("contest", 16), ("empty", 1)]
    places = rows.places(["c2", "contest"])
    assert (rows.matrix[index][:, places[0]] == rows.fields["c2"][index]).all()
    assert (rows.matrix[:, places[1]] == rows.fields["contest"]).all()
    with pytest.raises(InputError, match="no column 'c3', expected one of contest"):
        rows.places(["c3"])


def test_what_is_no_file_of_rows_is_refused(tmp_path: Path) -> None:
    def refused(message: str, size: int = 2 * 28, **changes: object) -> None:
        about = header(2) | changes
        path = write(tmp_path / "rows", about, bytes(size))
        with pytest.raises(InputError, match=message):
            read_rows(path)

    refused("rows of format 2, expected 1", format=2)
    refused("expected 3 > 0 rows of 28 after", rows=3)
    refused("expected 0 > 0 rows", rows=0)
    refused("fields of 28 bytes, expected 30", row_bytes=30)
    refused("expected a file of rows as 'quiver features' writes it", columns=None)
    refused("and then the columns", size=8, fields=[["game", "<u4"]])
    terms = [column for column in header(2)["columns"] if column["role"] != "phase"]
    fields = [field for field in header(2)["fields"] if field[0] not in ("contest", "empty")]
    refused("no columns of role 'phase'", size=48, columns=terms, fields=fields)
    for content in (b"", b"\n", b"[]\n", b"notes\n", b"\xff\xfe\n"):
        path = tmp_path / "other"
        path.write_bytes(content)
        with pytest.raises(InputError, match="expected a file of rows"):
            read_rows(path)
    with pytest.raises(InputError, match="No such file"):
        read_rows(tmp_path / "nothing")
