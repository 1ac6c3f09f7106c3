"""Tests search, evaluator, network and solver, in part by comparison with engine commands."""

import _thread
import json
import math
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import quiver
from conftest import DATA
from quiver import Engine, Position

MEMORY = 1 << 24
NETS = Path(__file__).parents[3] / "src" / "engine" / "policy" / "nets"


def search(position, playouts=300, **options):
    return Engine(position, memory=MEMORY, **options).search(playouts=playouts)


@pytest.mark.parametrize(("size", "seed"), [(8, 1), (10, 7)])
def test_a_search_is_that_of_the_command_line(program, size, seed):
    options = ["--board", str(size), "--seed", str(seed), "--playouts", "1000", "--set", "exploration=0.4"]
    expected = json.loads(program("analyze", "--json", *options))
    report = search(Position.start(size), 1000, seed=seed, parameters={"exploration": 0.4})
    best = expected["moveInfos"][0]
    assert str(report.best) == best["move"]
    assert report.network_value == pytest.approx(expected["rootInfo"]["rawWinrate"], abs=1e-6)
    assert round(report.value, 6) == expected["rootInfo"]["winrate"]
    assert [str(move) for move in report.line] == best["pv"]
    candidates = {str(candidate.move): candidate for candidate in report.candidates}
    assert len(candidates) == len(expected["moveInfos"]) > 5
    for move in expected["moveInfos"]:
        candidate = candidates[move["move"]]
        assert candidate.visits == move["visits"]
        for name, ours in (("winrate", "value"), ("prior", "prior"), ("staticValue", "static_value")):
            assert round(getattr(candidate, ours), 6) == move[name]
        assert [str(move) for move in candidate.line] == move["pv"]
    assert (report.playouts, report.stop, report.depth) == (1000, "playouts", expected["depth"])


def test_the_table_holds_the_candidates():
    report = search(Position.start(8))
    table = report.table()
    assert table.dtype == quiver.CANDIDATE
    for row, candidate in zip(table, report.candidates, strict=True):
        assert tuple(row["squares"]) == candidate.move.squares
        for name in ("visits", "value", "prior", "static_value"):
            assert row[name] == getattr(candidate, name)
    assert (np.diff(table["visits"].astype(int)) <= 0).all()


def test_the_tree_of_a_played_move_is_kept():
    position = Position.start(8)
    engine = Engine(position, memory=MEMORY)
    report = engine.search(playouts=500)
    visits = next(candidate.visits for candidate in report.candidates if candidate.move == report.best)
    engine.advance(report.best)
    assert engine.position == position.play(report.best)
    assert engine.search(playouts=100).reused == visits
    engine.set_position(position)
    assert engine.search(playouts=100).reused == 0


def test_a_network_of_a_file_replaces_the_shipped_one(tmp_path):
    position = Position.start(8)
    same = search(position, net=NETS / "8.net")
    assert np.array_equal(same.table(), search(position).table())
    priors = quiver.priors(position)
    assert np.array_equal(quiver.priors(position, NETS / "8.net"), priors)
    assert not np.allclose(quiver.priors(position, NETS / "10.net"), priors)
    (tmp_path / "no.net").write_bytes(b"notes")
    with pytest.raises(ValueError, match=r"no\.net: "):
        quiver.priors(position, tmp_path / "no.net")


def test_priors_are_those_of_the_search():
    position = Position.start(8).play("c1-c5/f5")
    priors = quiver.priors(position)
    assert priors.shape == (position.count_moves(),)
    assert priors.sum() == pytest.approx(1)
    # The search rounds the network's priors. Nodes below the root get these priors only after some
    # visits, so the test compares only the three most visited moves.
    by_move = dict(zip(position.legal_moves(), priors, strict=True))
    temperatures = {"policy_queen_temperature": 1, "policy_arrow_temperature": 1}
    for candidate in search(position, 1000, parameters=temperatures).candidates[:3]:
        assert candidate.prior == pytest.approx(by_move[candidate.move], rel=1e-3)


def test_the_evaluator_is_that_of_the_command_line(program):
    path = DATA / "positions" / "8.jsonl"
    expected = json.loads(program("evaluate", "--positions", str(path), "--json"))
    labels = [json.loads(line) for line in path.read_text().splitlines()]
    chances = np.array([quiver.evaluate(Position(label["position"])) for label in labels])
    won = np.array([label["result"] == 1 for label in labels])
    assert len(labels) == expected["positions"]
    loss = -np.log(np.clip(np.where(won, chances, 1 - chances), 1e-6, 1)).mean()
    assert loss == pytest.approx(expected["log_loss"], abs=1e-4)


def test_an_evaluation_depends_on_its_position_alone():
    assert quiver.evaluate(Position("3*q1/3***/6/6/Q5/6 w")) > 0.9
    position = Position.start(8).play("c1-c5/f5")
    chance = quiver.evaluate(position)
    assert quiver.log_odds(position) == pytest.approx(math.log(chance / (1 - chance)))
    features = quiver.features(position)
    assert (features["empty"], features["move"], features["arrow"]) == (55, 1, 0)
    lost = Position("Q*q/*** w")
    assert quiver.log_odds(lost) == -math.inf
    assert quiver.evaluate(lost) < 1e-20


def test_the_solver_proves_or_says_how_far_it_got():
    solution = quiver.solve(Position("Q4*q2 w"))
    assert (solution.proven, solution.winner, solution.margin, solution.bounds) == (True, 0, 2, (2, 2))
    assert Position("Q4*q2 w").is_legal(solution.best)
    open_game = quiver.solve(Position.start(6), nodes=10, memory=MEMORY)
    assert (open_game.proven, open_game.winner, open_game.best) == (False, None, None)
    assert open_game.bounds[0] < open_game.bounds[1]
    assert quiver.solve(Position.start(6), time=0.01, memory=MEMORY).winner is None


def test_a_proven_position_ends_the_search():
    report = search(Position("Q2*1q/3*2 w"))
    assert (report.proven, report.value, report.stop, report.ending) == (True, 1.0, "proven", (0, 2))


@pytest.mark.parametrize(
    "fen", ["* w", "1 b", "Q w", "q w", "Q*/*q w", "QQQQ/qqqq b", "10 w", "Q/1/q w", "3/1Q1/3 b"]
)
def test_odd_boards_have_answers(fen):
    position = Position(fen)
    moves = position.count_moves()
    assert len(quiver.priors(position)) == len(position.legal_moves()) == moves
    assert 0 <= quiver.evaluate(position) <= 1
    assert quiver.features(position)["empty"] == (position.planes().sum(axis=0) == 0).sum()
    assert quiver.perft(position, 3) >= 0
    solution = quiver.solve(position, memory=1 << 20)
    if moves:
        report = search(position)
        assert report.best in position.legal_moves()
        assert report.value == (solution.winner == position.to_move)
    else:
        assert solution.winner == position.winner == 1 - position.to_move
        assert position.legal_moves() == [] and position.legal_move_array().shape == (0, 3)


def test_ctrl_c_ends_a_search_and_a_proof(request):
    # If the tests run in the background, SIGINT may be ignored, so this test sets a handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    engine = Engine(Position.start(), memory=MEMORY)
    for work in (lambda: engine.search(time=3600), lambda: quiver.solve(Position.start(), memory=MEMORY)):
        timer = threading.Timer(0.2, _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            work()
        timer.join()
        assert engine.search(playouts=50).playouts == 50


def test_other_threads_run_during_a_search():
    engine = Engine(Position.start(), memory=MEMORY, threads=2)
    reports, begins = [], threading.Event()
    searching = threading.Thread(target=lambda: (begins.set(), reports.append(engine.search(time=3600))))
    searching.start()
    # If the search held the interpreter's lock, this thread could not call `stop`. The delay lets
    # the search begin, because a call of `stop` before a search ends it too.
    begins.wait()
    time.sleep(0.1)
    engine.stop()
    searching.join()
    assert reports[0].stop == "stopped"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda start: Engine(start, threads=0), "threads = 0: expected 1 to 1024"),
        (lambda start: Engine(start, memory=1000), "memory = 1000: expected bytes"),
        (lambda start: Engine(start, parameters={"exploraton": 1}), "did you mean 'exploration'"),
        (lambda start: Engine(start, parameters={"exploration": 9}), "expected a number from 0 to 4"),
        (lambda start: Engine(start, net="no such file"), "no such file: "),
        (lambda start: Engine(start, weights="no such file"), "no such file: "),
        (lambda start: Engine(start).search(), "a search without a limit"),
        (lambda start: Engine(start, parameters={"margin_ms": 1.5}), "expected a whole number"),
        (lambda start: Engine(start).search(playouts=0), "playouts = 0"),
        (lambda start: Engine(start).search(time=0.0), "time = 0: expected seconds above 0"),
        (lambda start: Engine(start).search(time=math.nan), "time = NaN: expected seconds above 0"),
        (lambda start: Engine(start).advance("a1-a2/a3"), "a1 holds nothing"),
        (lambda _: Engine(Position("Q*q/*** w")).search(playouts=1), "the second player has won"),
        (lambda start: quiver.solve(start, time=-1.0), "time = -1: expected seconds above 0"),
    ],
)
def test_bad_settings_are_refused_with_a_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call(Position.start(6))


def test_parameters_are_listed():
    rows = {row["name"]: row for row in quiver.parameters()}
    assert rows["policy_visits"]["default"] == 4
    assert all(row["min"] <= row["default"] <= row["max"] and row["about"] for row in rows.values())
