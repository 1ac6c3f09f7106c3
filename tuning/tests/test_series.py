"""Outcomes by the figures of `quiver elo`, and series: what is played, when they stop; each game counts once."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine
from tuning.matches.executor import Job, LocalExecutor
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.series import Series, play


@pytest.mark.parametrize("stop", [(60, 60), (40, 4000, 110), (2, 4000, None, Sprt(0, 150))])
def test_counts_depend_on_no_order(
    engine: Engine, stop: tuple, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = set()
    for cores in (1, 2, 7):
        folder = tmp_path / str(cores)

        def job(batch: Batch, folder: Path = folder) -> Job:
            return Job(batch.command(), folder / f"{batch.series}-{batch.number}.jsonl")

        sides = Side(playouts=6), Side(playouts=2)
        several = [Series(Batch(name, *sides, 6, 10), *stop) for name in ("one", "other")]
        with closing(LocalExecutor(engine, cores)) as executor:
            play(several, SimpleNamespace(job=job), executor)
        told, games = capsys.readouterr().err, 0
        for series in several:
            games += series.counted.games
            assert told.count(f"tuning: {series.first.series}: {series.counted} Elo after") == 1
            found.add(replace(series.counted, seconds=(0.0, 0.0)))
        # Batches are begun in vain only beside one that decides.
        in_vain = len(list(folder.iterdir())) - games // 10
        assert games >= 40 and (in_vain >= 0 if cores > 1 else in_vain == 0)
    assert len(found) == 1


def test_one_sided_games_are_not_played_to_the_end(engine: Engine) -> None:
    series = Series(Batch("one", Side(), Side(), 6, 20), 20, 1000, error=10, counted=Outcome((0, 0, 10)))
    assert series.missing == 0 < replace(series, counted=Outcome((0, 1, 9))).missing


def test_figures_without_a_bound_are_left_out(engine: Engine) -> None:
    assert str(Outcome((96, 111, 136))) == "+41 +-30"
    none, all_won = Outcome(), Outcome((0, 0, 10))
    assert none.row["games"] == 0 and none.row["elo_low"] is none.row["elo_high"] is None and str(none) == ""
    assert all_won.row["elo"] is all_won.row["elo_error"] is all_won.row["elo_high"] is None
    assert str(all_won).startswith("above +") and str(Outcome((3, 0, 0))).startswith("below -")
    # Near a score of 1 an error to both sides has no bound.
    few, row = Outcome((0, 1, 1)), Outcome((0, 1, 1)).row
    assert row["elo_error"] is None and row["elo_low"] < row["elo"] < row["elo_high"] < 2000
    assert str(few) == "{elo:+.0f} ({elo_low:+.0f} to {elo_high:+.0f})".format(**row)
