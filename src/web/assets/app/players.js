// The players of both sides, and which actions are allowed in the current state.

import { sideAt } from "./tree.js";

export const SIDES = ["first", "second"];
/** Returns the side for the colour `B` or `W` of the engine's answers. */
export const sideOf = (colour) => SIDES["BW".indexOf(colour)];
export const otherSide = (side) => (side === "first" ? "second" : "first");

/** Parses a player: "person", "level:3", or "time:1" for an engine with 1 second a move. */
export const parsePlayer = (name) => {
  const [kind, value] = name.split(":");
  return { kind, value: Number(value) };
};

export const isPerson = ({ tree }, side) => tree.players[side] === "person";

/** Returns the side of the user, or null if users play both sides or none. */
export const ownSide = (state) => {
  const own = SIDES.filter((side) => isPerson(state, side));
  return own.length === 1 ? own[0] : null;
};

/** Returns the winner and the reason (such as "no-move") of the end of a game, or null. */
export const resultAt = ({ position, result }) =>
  (position?.winner ? { winner: position.winner, why: "no-move", left: position.left } : result);

/** True if the side to move has a move in the start position. */
export const isPlayable = ({ tree }) => !tree.root.position?.winner;

export const isOver = (state) => resultAt(state.node) !== null;

/** True if an engine searches for its move in the current position. */
export const isThinking = (state) => state.search?.purpose === "play" && state.search.node === state.node;

export const mayMove = (state) =>
  state.mode !== "setup" && !isOver(state) && !isThinking(state) && state.waiting?.parent !== state.node &&
  (state.mode === "task" ? !state.task.done : isPerson(state, state.node.position.to_move));

/** True if the analysis of the current position is shown: while the analysis is on, or if the user
 * had it on here before. In a task and at the current turn of a game it must be on. */
export const showsThoughts = (state) => {
  const { node, tree, mode } = state;
  if (mode === "setup") return false;
  return state.analysing || (node.asked && mode !== "task" && (!tree.live || node !== tree.turn.node || isOver(state)));
};

/** Returns the engine player that must move now, such as "level:3", or null. */
export const engineDue = (state) => {
  const { tree, mode, paused } = state;
  const { node } = tree.turn;
  if (mode !== "play" || paused || resultAt(node)) return null;
  const side = sideAt(tree, node);
  return isPerson(state, side) ? null : tree.players[side];
};
