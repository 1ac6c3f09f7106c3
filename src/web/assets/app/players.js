// Tells who plays each side, and which actions the state of the game allows.

import { sideAt } from "./tree.js";

export const SIDES = ["first", "second"];
/** Returns the side, "first" or "second", for the colour "B" or "W" in an engine's answer. */
export const sideOf = (colour) => SIDES["BW".indexOf(colour)];
export const otherSide = (side) => (side === "first" ? "second" : "first");

/** Parses the name of a player: "person" is a user, "level:3" is the engine at level 3, and
 * "time:1" is the engine at full strength with 1 second for each move. */
export const parsePlayer = (name) => {
  const [kind, value] = name.split(":");
  return { kind, value: Number(value) };
};

export const isPerson = ({ tree }, side) => tree.players[side] === "person";

/** Returns the side that the user plays, or null if users play both sides or none. */
export const ownSide = (state) => {
  const own = SIDES.filter((side) => isPerson(state, side));
  return own.length === 1 ? own[0] : null;
};

/** Returns the winner and a reason, such as "no-move", if the game has ended at a node, or null. */
export const resultAt = ({ position, result }) =>
  (position?.winner ? { winner: position.winner, why: "no-move", left: position.left } : result);

/** True if the side to move in the start position has a move, so that a game can be played. */
export const isPlayable = ({ tree }) => !tree.root.position?.winner;

export const isOver = (state) => resultAt(state.node) !== null;

export const isThinking = (state) => state.search?.purpose === "play" && state.search.node === state.node;

export const mayMove = (state) =>
  state.mode !== "setup" && !isOver(state) && !isThinking(state) && state.waiting?.parent !== state.node &&
  (state.mode === "task" ? !state.task.done : isPerson(state, state.node.position.to_move));

/** True if the page shows the analysis of the position on the board. If analysis is on, the page
 * shows it except in the set-up mode. If analysis is off, the page shows an analysis that the user
 * requested earlier, but not in a task and not at the current position of a game in progress. */
export const showsAnalysis = (state) => {
  const { node, tree, mode } = state;
  if (mode === "setup") return false;
  return state.analysing || (node.isRequested && mode !== "task" && (!tree.live || node !== tree.turn.node || isOver(state)));
};

/** Returns the engine player, such as "level:3", that must move now, or null. */
export const engineToMove = (state) => {
  const { tree, mode, paused } = state;
  const { node } = tree.turn;
  if (mode !== "play" || paused || resultAt(node)) return null;
  const side = sideAt(tree, node);
  return isPerson(state, side) ? null : tree.players[side];
};
