// Who plays which side, and so who may do what now.

import { sideAt } from "./tree.js";

export const SIDES = ["first", "second"];
/** The side that the engine's answers name `B` or `W`. */
export const sideOf = (colour) => SIDES["BW".indexOf(colour)];
export const otherSide = (side) => (side === "first" ? "second" : "first");

/** A player as a tree names it: "person", "level:3", or "time:1" in seconds a move. */
export const parsePlayer = (name) => {
  const [kind, value] = name.split(":");
  return { kind, value: Number(value) };
};

export const isPerson = ({ tree }, side) => tree.players[side] === "person";

/** The only side that a person plays, or null. */
export const ownSide = (state) => {
  const own = SIDES.filter((side) => isPerson(state, side));
  return own.length === 1 ? own[0] : null;
};

/** The result of the game at a node, or null while it goes on: the winner, and the kind of the end as the server names it. */
export const resultAt = ({ position, result }) =>
  (position?.winner ? { winner: position.winner, why: "no-move", left: position.left } : result);

/** A start that is over before it begins is a position without a game, not a win. */
export const isPlayable = ({ tree }) => !tree.root.position?.winner;

export const isOver = (state) => resultAt(state.node) !== null;

/** Whether an engine thinks about its move in the position on the board. */
export const isThinking = (state) => state.search?.purpose === "play" && state.search.node === state.node;

export const mayMove = (state) =>
  state.mode !== "setup" && !isOver(state) && !isThinking(state) && state.waiting?.parent !== state.node &&
  (state.mode === "task" ? !state.task.done : isPerson(state, state.node.position.to_move));

/**
 * Whether the engine's thoughts of the position on the board show: only where the person asked for them. In a lesson,
 * and where a move is due, that is while analysis is on.
 */
export const showsThoughts = (state) => {
  const { node, tree, mode } = state;
  if (mode === "setup") return false;
  return state.analysing || (node.asked && mode !== "task" && (!tree.live || node !== tree.turn.node || isOver(state)));
};

/** The player whose move is due, if it is an engine and the game goes on; else null. */
export const engineDue = (state) => {
  const { tree, mode, paused } = state;
  const { node } = tree.turn;
  if (mode !== "play" || paused || resultAt(node)) return null;
  const side = sideAt(tree, node);
  return isPerson(state, side) ? null : tree.players[side];
};
