"""The Game of the Amazons as a PettingZoo AEC environment, and Quiver as an agent in it.

    >>> from quiver import Engine, Position
    >>> from quiver.pettingzoo import EngineAgent, env
    >>> game = env(size=8)
    >>> game.reset(seed=1)
    >>> opponent = EngineAgent(Engine(Position.start(8)), playouts=400)
    >>> for agent in game.agent_iter():
    ...     observation, reward, termination, truncation, info = game.last()
    ...     if termination or truncation:
    ...         action = None
    ...     elif agent == "player_1":
    ...         action = opponent.act(game)
    ...     else:
    ...         action = game.action_space(agent).sample(observation["action_mask"])
    ...     game.step(action)

**Agents.** `player_0` is the first player, `player_1` the second. A full move is two actions of one agent: the
queen move, then the arrow.

**Actions.** `Discrete(cells**2 + cells)` with `cells = size * size` and cell `size * y + x`. The queen move has
the number `cells * from + to`, the arrow `cells**2 + cell`. So each number belongs to one half of a move, and
`divmod` undoes it. `AmazonsEnv.encode` gives both numbers of a `Move`.

**Observations.** A dictionary. `observation` has shape (4, size, size), 0 or 1 at [plane, y, x]: the observing
agent's amazons, the opponent's, burnt squares, and the amazon that is about to shoot. `action_mask` has a 1 for
each legal action of the agent that acts next, and none for the other agent.

**Rewards.** 1 for the winner and -1 for the loser when the agent to act has no move; else 0. There are no draws,
and every game ends: each move burns a square.
"""

from typing import Any, ClassVar, TypedDict, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from quiver import Engine, Move, Position

AGENTS = ("player_0", "player_1")
"""The agents, by the number of their side."""


class Observation(TypedDict):
    """The observation of an agent."""

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]


class AmazonsEnv(AECEnv[str, Observation, int]):
    """The environment without wrappers. An illegal action raises a `ValueError`.

    `size` is the side of the board: 6, 8 or 10.

    A game begins with `random_plies` random full moves, drawn by the seed of `reset`. `reset` also takes a
    position: `options={"fen": ...}`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "amazons_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, size: int = 10, *, random_plies: int = 0, render_mode: str | None = None) -> None:
        """Make an environment; `reset` begins a game."""
        super().__init__()
        if render_mode not in (None, *(modes := self.metadata["render_modes"])):
            raise ValueError(f"render_mode = {render_mode!r}: expected None or one of {modes}")
        self.size = size
        self.random_plies = random_plies
        self.render_mode = render_mode
        self.position = Position.start(size)
        """The position before the full move that is being made."""
        self.queen_move: tuple[int, int] | None = None
        """The first half of that move, as square numbers; None where it is still to come."""
        self.moves: list[Move] = []
        """The full moves of the game."""
        self.earlier: list[Position] = []
        """The positions before these moves."""
        self.possible_agents = list(AGENTS)
        self._cells = size * size
        count = self._cells * self._cells + self._cells
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
        """Begin a game."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        fen = (options or {}).get("fen")
        position = Position.start(self.size) if fen is None else Position(fen)
        if (position.width, position.height) != (self.size, self.size) or position.is_over:
            raise ValueError(
                f"{position.fen}: expected an open position on a board of {self.size}x{self.size}"
            )
        self.position, self.queen_move, self.moves, self.earlier = position, None, [], []
        for _ in range(self.random_plies):
            move = Move.from_squares(*self._random.choice(self.position.legal_move_array()))
            if self.position.play(move).is_over:
                break
            self._play(move)
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
        if action is None or action not in self._legal_actions():
            half = "an arrow" if self.queen_move else "a queen move"
            raise ValueError(f"action {action} of {agent} is illegal: expected {half} of its action_mask")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if self.queen_move is None:
            start, end = divmod(int(action), self._cells)
            self.queen_move = self._square(start), self._square(end)
        else:
            move = Move.from_squares(*self.queen_move, self._square(int(action) - self._cells**2))
            self.queen_move = None
            self._play(move)
            self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent."""
        planes = np.zeros((4, self.size, self.size), np.int8)
        planes[:3] = self.position.planes()
        if self.queen_move is not None:
            # The amazon that shoots has left its square.
            start, end = (divmod(square, 16) for square in self.queen_move)
            planes[0][start] = 0
            planes[0][end] = planes[3][end] = 1
        if agent != AGENTS[self.position.to_move]:
            planes[:2] = planes[1::-1]
        mask = np.zeros(self._cells**2 + self._cells, np.int8)
        if agent == AGENTS[self.position.to_move]:
            mask[self._legal_actions()] = 1
        return {"observation": planes, "action_mask": mask}

    def render(self) -> str | None:
        """Return the board as text in mode "ansi", print it in mode "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: expected 'ansi' or 'human'")
            return None
        text = f"{self.position}\n{self.agent_selection} to act"
        if self.queen_move is not None:
            names = ("abcdefghij"[square % 16] + str(square // 16 + 1) for square in self.queen_move)
            text += ", its arrow after " + "-".join(names)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Release nothing: the environment holds no window."""

    def encode(self, move: Move) -> tuple[int, int]:
        """Return the two actions of a full move: its queen move and its arrow."""
        start, end, arrow = self._cell(np.array(move.squares)).tolist()
        return self._cells * start + end, self._cells**2 + arrow

    def _play(self, move: Move) -> None:
        self.earlier.append(self.position)
        self.moves.append(move)
        self.position = self.position.play(move)

    def _legal_actions(self) -> npt.NDArray[np.int64]:
        if self.queen_move is not None:
            return self._cells**2 + self._cell(self.position.arrows(*self.queen_move))
        queens = self._cell(self.position.queen_moves())
        return self._cells * queens[:, 0] + queens[:, 1]

    def _cell(self, squares: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self.size * (squares // 16) + squares % 16

    def _square(self, cell: int) -> int:
        y, x = divmod(cell, self.size)
        return 16 * y + x

    def _select(self) -> None:
        """Turn to the agent that acts next; if it has no move, the game is over."""
        self.agent_selection = AGENTS[self.position.to_move]
        winner = self.position.winner
        if winner is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = {AGENTS[winner]: 1, AGENTS[1 - winner]: -1}


raw_env = AmazonsEnv


def env(
    size: int = 10, *, random_plies: int = 0, render_mode: str | None = None
) -> AECEnv[str, Observation, int]:
    """Return an `AmazonsEnv` in PettingZoo's usual wrappers.

    An illegal action ends the game and costs its agent a reward of -1.
    """
    raw = AmazonsEnv(size, random_plies=random_plies, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class EngineAgent:
    """Quiver as an agent: it searches before a queen move, and shoots the arrow that it found with it."""

    def __init__(self, engine: Engine, *, playouts: int | None = None, time: float | None = None) -> None:
        """Take an engine, at any position, and the limits of its searches."""
        self.engine = engine
        self._playouts = playouts
        self._time = time
        self._found: tuple[Position, Move] | None = None

    def act(self, env: AECEnv[str, Observation, int]) -> int:
        """Return the action of the agent that acts next in this environment, wrapped or not."""
        raw = cast(AmazonsEnv, env.unwrapped)
        if raw.queen_move is None:
            self._follow(raw)
            best = self.engine.search(playouts=self._playouts, time=self._time).best
            self._found = (raw.position, best)
            return raw.encode(best)[0]
        if self._found is not None:
            position, best = self._found
            if position == raw.position and best.squares[:2] == raw.queen_move:
                return raw.encode(best)[1]
        raise ValueError("the queen move was not this agent's: expected it to choose both halves of a move")

    def _follow(self, game: AmazonsEnv) -> None:
        """Take the engine to the position. The tree is kept if at most two moves were played since."""
        positions = [*game.earlier, game.position]
        for count in range(min(3, len(positions))):
            if self.engine.position == positions[-1 - count]:
                for move in game.moves[len(game.moves) - count :]:
                    self.engine.advance(move)
                return
        self.engine.set_position(game.position)
