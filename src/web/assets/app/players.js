// Who plays which side, and so who may do what now.

export const SIDES = ["first", "second"];
export const otherSide = (side) => (side === "first" ? "second" : "first");

/** A player as the settings name it: "person", "level:3", or "time:1" in seconds a move. */
export const parsePlayer = (name) => {
  const [kind, value] = name.split(":");
  return { kind, value: Number(value) };
};

export const isPerson = (state, side) => state.settings[side] === "person";

/** The only side that a person plays, or null. */
export const ownSide = (state) => {
  const own = SIDES.filter((side) => isPerson(state, side));
  return own.length === 1 ? own[0] : null;
};

/** The result of the game at a node: {winner, why}, or null while it goes on. */
export const resultAt = ({ tree }, node) => {
  const winner = node.position?.winner;
  if (winner) return { winner, why: "noMove", left: node.position.left };
  return tree.result && tree.result.ply === node.ply && node.children.length === 0 ? tree.result : null;
};

/** A start that is over before it begins is a position without a game, not a win. */
export const isPlayable = ({ tree }) => !tree.root.position?.winner;

export const isOver = (state) => resultAt(state, state.node) !== null;

export const isThinking = (state) => state.search?.purpose === "play";

export const mayMove = (state) =>
  state.mode !== "setup" && !isOver(state) && !isThinking(state) &&
  (state.mode === "retry" || isPerson(state, state.node.position.to_move));

export const engineToMove = (state) =>
  (state.mode === "play" || state.mode === "exercise") && !state.paused && !isOver(state) &&
  state.node.children.length === 0 && !isPerson(state, state.node.position.to_move);
