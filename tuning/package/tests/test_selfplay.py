"""Tests of `selfplay` and `selfplay_batches`, and of the training samples of their games."""

import numpy as np
import pytest
from conftest import DATA
from quiver import State, read_games, selfplay, selfplay_batches

SELFPLAY = DATA / "journals" / "selfplay.jsonl"


@pytest.fixture(scope="module")
def played():
    return selfplay(6, 6, 20, seed=3, concurrency=2)


def test_selfplay_is_that_of_the_command(played, program, tmp_path):
    out = tmp_path / "games.jsonl"
    program(*f"selfplay --board 6 --games 6 --playouts 20 --seed 3 --out {out}".split())
    read = read_games(out)
    order = np.argsort(read.games["number"])
    assert read.about == played.about and played.games["number"].tolist() == list(range(6))
    for game, other in enumerate(order):
        # Values in a file are rounded to six digits. A missing value is nan.
        assert np.array_equal(played.plies_of(game)["squares"], read.plies_of(other)["squares"])
        assert np.allclose(played.plies_of(game)["value"], read.plies_of(other)["value"], equal_nan=True)
        assert played.games["winner"][game] == read.games["winner"][other]
    assert np.sort(played.queen_shares["share"]) == pytest.approx(np.sort(read.queen_shares["share"]))


def test_batches_are_the_same_games(played):
    batches = list(selfplay_batches(6, 4, 20, seed=3, batch=3, first=1))
    assert [batch.games["number"].tolist() for batch in batches] == [[1, 2, 3], [4]]
    assert np.array_equal(batches[1].plies_of(0)["squares"], played.plies_of(4)["squares"])
    assert batches[0] != batches[1] and batches[1] in {*batches}
    assert repr(batches[1]).startswith("<Games: 1 games, ") and "\n" not in repr(played)


def check_samples(games):
    planes, policy, values = games.planes(), games.policy(), games.values()
    assert planes.shape == (2 * len(games.plies), 4, games.size, games.size)
    assert policy.shape == (len(planes), games.size**4 + games.size**2) and values.shape == (len(planes),)
    known = set(games.samples().tolist())
    sample = 0
    for game in range(len(games)):
        state = State(games.positions(game)[0])
        for move in games.moves(game):
            for action in state.actions_of(move):
                assert np.array_equal(planes[sample], state.observation()), sample
                assert values[sample] == (games.games["winner"][game] == state.current_player())
                assert (policy[sample].sum() > 0) == (sample in known)
                visited = np.flatnonzero(policy[sample])
                assert set(visited.tolist()) <= set(state.legal_actions())
                if sample in known:
                    assert policy[sample].sum() == pytest.approx(1, abs=1e-5)
                state.apply_action(action)
                sample += 1
    assert sample == len(planes) and len(known) > 0


def test_samples_are_what_a_player_sees(played):
    check_samples(played)
    check_samples(read_games(SELFPLAY))
    chosen = [7, 2, 40]
    assert np.array_equal(played.planes(chosen), played.planes()[chosen])
    assert np.array_equal(played.policy(chosen), played.policy()[chosen])
    mixed = played.values([40], mix=0.25)
    ply = played.plies[20]
    won = played.games["winner"][ply["game"]] == ply["mover"]
    assert mixed == pytest.approx(0.25 * ply["value"] + 0.75 * won)


def test_wrong_arguments_are_refused(played, tmp_path):
    for wrong, message in (
        ({"board": 7}, "7"),
        ({"playouts": 0}, "playouts = 0: expected at least 1"),
        ({"concurrency": 0}, "concurrency = 0: expected at least 1"),
        ({"blunders": 2.0}, "blunders = 2: expected a probability from 0 to 1"),
        ({"random_plies": 400}, "expected fewer"),
        ({"first": 2**32 - 1}, "expected numbers below"),
    ):
        with pytest.raises(ValueError, match=message.replace("*", r"\*")):
            selfplay(**{"board": 6, "games": 2, "playouts": 5, **wrong})
    for games, batch in ((2, 0), (-5, 9)):
        with pytest.raises(ValueError, match=f"batch = {batch}, games = {games}: expected"):
            next(selfplay_batches(6, games, 5, batch=batch))
    with pytest.raises(ValueError, match=r"mix = -0\.5: expected"):
        played.values(mix=-0.5)
    mixed = tmp_path / "mixed.sgf"
    mixed.write_text("(;GM[18]SZ[10];B[djddgd])(;GM[18]SZ[8];B[chcdfd])")
    with pytest.raises(ValueError, match="expected one square board"):
        read_games(mixed).planes()
    with pytest.raises(ValueError, match="no start position for a board of 7x7"):
        read_games(mixed, size=7)
