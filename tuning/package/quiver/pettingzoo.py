"""The Game of the Amazons as a PettingZoo AEC environment, and an agent that plays Quiver's moves.

    >>> from quiver.pettingzoo import env
    >>> game = env(size=8)
    >>> game.reset(seed=1)

**Agents.** `player_0` is the first player, `player_1` the second. A full move is two actions of one
agent: the queen move, then the arrow.

**Actions.** The space is `Discrete(cells**2 + cells)` with `cells = size * size`. Actions are
numbered as in `quiver.State`.

**Observations.** An observation is a dictionary. `observation` has the shape (4, size, size) and
the planes of `quiver.State.observation`. `action_mask` has a 1 for each legal action of the agent
that acts next. The other agent's `action_mask` is all 0.

**Rewards.** The game ends when the agent to act has no move. The winner then gets 1 and the loser
-1; all other rewards are 0. There are no draws, and every game ends, because each move burns a
square.
"""

from typing import Any, ClassVar, TypedDict, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from quiver import Engine, Move, Position, State

AGENTS = ("player_0", "player_1")
"""The names of the agents, in the order of their sides 0 and 1."""


class Observation(TypedDict):
    """The observation of an agent."""

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]


class AmazonsEnv(AECEnv[str, Observation, int]):
    """The environment without PettingZoo's wrappers. An illegal action raises a `ValueError`.

    `size` is the side of the board: 6, 8 or 10. A game begins with `random_plies` random full
    moves, which the seed of `reset` decides. `reset(options={"fen": ...})` begins a game from
    another position.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "amazons_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, size: int = 10, *, random_plies: int = 0, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, *(modes := self.metadata["render_modes"])):
            raise ValueError(f"render_mode = {render_mode!r}: expected None or one of {modes}")
        if random_plies < 0:
            raise ValueError(f"random_plies = {random_plies}: expected at least 0")
        self.size = size
        self.random_plies = random_plies
        self.render_mode = render_mode
        self.state = State(Position.start(size))
        """The current state of the game."""
        self.possible_agents = list(AGENTS)
        count = self.state.num_distinct_actions()
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (4, size, size), np.int8),
                "action_mask": spaces.Box(0, 1, (count,), np.int8),
            }
        )
        self.action_spaces = {agent: spaces.Discrete(count) for agent in AGENTS}
        self.observation_spaces = {agent: cast(spaces.Space[Observation], observation) for agent in AGENTS}
        self._random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        fen = (options or {}).get("fen")
        position = Position.start(self.size) if fen is None else Position(fen)
        if (position.width, position.height) != (self.size, self.size) or position.is_over:
            raise ValueError(
                f"{position.fen}: expected a position on {self.size}x{self.size} in which the game is not over"
            )
        self.state = State(position)
        for _ in range(self.random_plies):
            move = Move.from_squares(*self._random.choice(self.state.position.legal_move_array()))
            after = self.state.position.play(move)
            if after.is_over:
                break
            self.state = State(after)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self._select()

    def step(self, action: int | None) -> None:
        """Make a queen move or shoot an arrow."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(cast(int, action))
            return
        if action is None:
            raise ValueError(
                f"action None of {agent}: expected a legal action, as its action_mask lists them"
            )
        is_whole = self.state.apply_action(action) is not None
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if is_whole:
            self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent."""
        side = AGENTS.index(agent)
        acts = side == self.state.position.to_move
        mask = self.state.legal_actions_mask()
        return {"observation": self.state.observation(side), "action_mask": mask if acts else 0 * mask}

    def render(self) -> str | None:
        """Return the board as text in the mode "ansi", or print it in the mode "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: expected 'ansi' or 'human'")
            return None
        text = f"{self.state.position}\n{self.agent_selection} to act"
        if self.state.queen_move is not None:
            names = ("abcdefghij"[square % 16] + str(square // 16 + 1) for square in self.state.queen_move)
            text += ", its arrow after " + "-".join(names)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing, since the environment has no window to close."""

    def _select(self) -> None:
        self.agent_selection = AGENTS[self.state.position.to_move]
        winner = self.state.position.winner
        if winner is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = {AGENTS[winner]: 1, AGENTS[1 - winner]: -1}


raw_env = AmazonsEnv


def env(
    size: int = 10, *, random_plies: int = 0, render_mode: str | None = None
) -> AECEnv[str, Observation, int]:
    """Return an `AmazonsEnv` in PettingZoo's usual wrappers.

    An illegal action ends the game, and the agent that chose the action gets the reward -1.
    """
    raw = AmazonsEnv(size, random_plies=random_plies, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class EngineAgent:
    """An agent that plays the engine's moves. One search chooses a queen move and its arrow."""

    def __init__(self, engine: Engine, *, playouts: int | None = None, time: float | None = None) -> None:
        """Construct an agent from search limits and an engine. `act` sets the engine's position."""
        self.engine = engine
        self._playouts = playouts
        self._time = time
        self._found: tuple[Position, Move] | None = None

    def act(self, env: AECEnv[str, Observation, int]) -> int:
        """Return the engine's action for the agent that acts next in the environment."""
        state = cast(AmazonsEnv, env.unwrapped).state
        if state.queen_move is None:
            self._move_engine_to(state.position)
            best = self.engine.search(playouts=self._playouts, time=self._time).best
            self._found = (state.position, best)
            self.engine.advance(best)
            return state.actions_of(best)[0]
        if self._found is not None:
            position, best = self._found
            if position == state.position and best.squares[:2] == state.queen_move:
                return state.actions_of(best)[1]
        raise ValueError(
            "another agent made the queen move: expected this agent to choose queen move and arrow"
        )

    def _move_engine_to(self, position: Position) -> None:
        """Set the position. Keep the tree if `position` is one move after the engine's position."""
        before = self.engine.position
        for move in before.legal_moves() if before != position else ():
            if before.play(move) == position:
                self.engine.advance(move)
                return
        self.engine.set_position(position)
