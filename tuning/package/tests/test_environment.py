"""Tests of the PettingZoo environment, including the tests that PettingZoo provides."""

import pickle
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test, test_save_obs
from quiver import Engine, Move, Position
from quiver.pettingzoo import AGENTS, EngineAgent, env, raw_env

test_save_obs.__test__ = False


def burnt(game):
    """Return the number of burnt squares, which is the number of full moves played."""
    return int(game.state.position.planes()[2].sum())


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("size", [6, 10])
def test_pettingzoo_accepts_it(make, size, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for known in (
            # PettingZoo gives the next two warnings because the observations are dictionaries.
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be",
            # The mask of the agent that does not act next is all zeros.
            "Action mask numpy array is all zeros",
        ):
            warnings.filterwarnings("ignore", message=known)
        api_test(make(size=size), num_cycles=300)
        api_test(make(size=size, random_plies=4), num_cycles=300)
    assert "Passed API test" in capsys.readouterr().out


def test_pettingzoo_finds_it_deterministic():
    seed_test(lambda: env(size=6, random_plies=3), num_cycles=200)
    seed_test(lambda: raw_env(size=10), num_cycles=50)


def test_pettingzoo_accepts_its_pictures(capsys):
    render_test(lambda render_mode: env(size=6, render_mode=render_mode))
    assert "Q" in capsys.readouterr().out
    # PettingZoo skips `test_save_obs` with a message, since the observations are no pictures.
    test_save_obs(env(size=6))
    assert "Observations must be Box to save observations as image" in capsys.readouterr().out


def test_a_move_is_two_actions_of_one_agent():
    game = raw_env(size=8)
    game.reset()
    move = Move("c1-c5/f5")
    queen, arrow = game.state.actions_of(move)
    cells = 64
    assert (queen, arrow) == (cells * 2 + (4 * 8 + 2), cells**2 + 4 * 8 + 5)
    masks = {agent: game.observe(agent)["action_mask"] for agent in AGENTS}
    assert masks["player_0"].sum() == len(game.state.position.queen_moves())
    assert masks["player_1"].sum() == 0
    game.step(queen)
    assert game.agent_selection == "player_0"
    mine, other = (game.observe(agent) for agent in AGENTS)
    assert np.flatnonzero(mine["action_mask"]).tolist() == game.state.legal_actions()
    assert np.array_equal(mine["observation"], game.state.observation())
    assert np.array_equal(other["observation"], mine["observation"][[1, 0, 2, 3]])
    game.step(arrow)
    assert (game.agent_selection, game.state.position) == ("player_1", Position.start(8).play(move))


def test_illegal_actions_are_refused_or_lose():
    raw = raw_env(size=6)
    raw.reset()
    for action in (0, 36**2, 36**2 + 36, -1):
        with pytest.raises(ValueError, match=f"action {action} is illegal: expected a queen move"):
            raw.step(action)
    wrapped = env(size=6)
    wrapped.reset()
    wrapped.step(0)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped._cumulative_rewards["player_0"] == -1


def test_seeds_and_options_choose_the_start():
    game = raw_env(size=6, random_plies=5)
    starts = []
    for seed in (1, 1, 2):
        game.reset(seed=seed)
        assert (burnt(game), game.agent_selection) == (5, "player_1")
        starts.append(game.state.position)
    assert starts[0] == starts[1] != starts[2]
    crowded = raw_env(size=6, random_plies=100)
    crowded.reset(seed=1)
    assert not crowded.state.position.is_over
    game = raw_env(size=6)
    game.reset(options={"fen": "Q5/6/6/6/6/5q b"})
    assert game.agent_selection == "player_1"
    for fen in ("Q4/5/5/5/4q b", "Q*4/**4/6/6/6/5q w"):
        with pytest.raises(ValueError, match="expected a position on 6x6 in which the game is not over"):
            game.reset(options={"fen": fen})
    with pytest.raises(ValueError, match="render_mode = 'gl'"):
        raw_env(render_mode="gl")
    with pytest.raises(ValueError, match="random_plies = -3: expected at least 0"):
        raw_env(6, random_plies=-3)


def test_a_copy_goes_on_with_the_game():
    game = raw_env(size=6, random_plies=2)
    game.reset(seed=1)
    queen, arrow = game.state.actions_of(game.state.position.legal_moves()[0])
    game.step(queen)
    again = pickle.loads(pickle.dumps(game))
    again.step(arrow)
    assert (burnt(again), burnt(game)) == (3, 2)


@pytest.mark.parametrize("size", [6, 8, 10])
def test_the_engine_beats_a_random_agent_by_the_rules(size):
    game = env(size=size)
    engine = EngineAgent(Engine(Position.start(size), memory=1 << 22), playouts=50)
    random = np.random.default_rng(1)
    for side, player in enumerate(AGENTS):
        acting, rewards = [], {}
        game.reset()
        for agent in game.agent_iter():
            observation, reward, termination, _, _ = game.last()
            if termination:
                rewards[agent] = reward
                game.step(None)
                continue
            acting.append(agent)
            chance = int(random.choice(np.flatnonzero(observation["action_mask"])))
            game.step(engine.act(game) if agent == player else chance)
        assert rewards == {AGENTS[side]: 1, AGENTS[1 - side]: -1}
        assert acting == [AGENTS[ply // 2 % 2] for ply in range(2 * burnt(game.unwrapped))]
        assert game.unwrapped.state.position.winner == side


def test_the_engine_keeps_its_tree_and_shoots_its_own_arrows_only():
    game = raw_env(size=6)
    game.reset()
    engine = EngineAgent(Engine(Position.start(6), memory=1 << 22), playouts=100)
    for _ in range(4):
        game.step(engine.act(game))
    assert engine.engine.search(playouts=1).reused > 0
    queen, _ = game.state.actions_of(game.state.position.legal_moves()[0])
    game.step(queen)
    with pytest.raises(ValueError, match="another agent made the queen move"):
        engine.act(game)
