"""Tests of `State`, which has the methods of OpenSpiel's states."""

import numpy as np
import pytest
from quiver import TERMINAL, Move, Position, State


def test_game_goes_on_by_actions_to_its_end():
    state, random = State(Position.start(6)), np.random.default_rng(1)
    while not state.is_terminal():
        before, copy, actions = state.position, state.clone(), state.legal_actions()
        assert actions == np.flatnonzero(state.legal_actions_mask()).tolist()
        assert state.current_player() == before.to_move and state.returns() == [0, 0]
        assert max(actions) < state.num_distinct_actions() == 36 * 36 + 36
        ended = state.apply_action(int(random.choice(actions)))
        assert copy.position == before and (ended is None or state.position == before.play(ended))
    winner = state.position.winner
    assert state.current_player() == TERMINAL
    assert state.returns() == ([1, -1] if winner == 0 else [-1, 1])


def test_observation_shows_the_amazon_that_shoots():
    state = State(Position.start(8))
    queen, arrow = state.actions_of(Move("c1-c5/f5"))
    state.apply_action(queen)
    own, other, burnt, shooter = state.observation()
    assert (own[0, 2], own[4, 2], burnt.sum(), own.sum()) == (0, 1, 0, 4)
    assert np.argwhere(shooter).tolist() == [[4, 2]]
    assert np.array_equal(state.observation(1), [other, own, burnt, shooter])
    assert state.observation_tensor() == state.observation(0).ravel().tolist()
    assert state.apply_action(arrow) == Move("c1-c5/f5") and state.observation()[2].sum() == 1


def test_what_is_no_action_is_refused():
    state = State(Position.start(6))
    with pytest.raises(ValueError, match="action 0 is illegal: expected a queen move among legal_actions"):
        state.apply_action(0)
    with pytest.raises(ValueError, match="player = 7: expected 0, 1 or None"):
        state.observation(7)
    with pytest.raises(ValueError, match="expected a square board"):
        State(Position("Q4/5/5/4q b"))
