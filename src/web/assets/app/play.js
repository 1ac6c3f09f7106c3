// Begins games, takes moves back, and ends games by time or resignation.

import { byId } from "./elements.js";
import { SIDES, isPerson, isPlayable, otherSide, ownSide, resultAt } from "./players.js";
import { keepReplacedGame } from "./storage.js";
import { lineThrough, pathTo, sideAt } from "./tree.js";
import { attempt, notify, onClick } from "./messages.js";
import { words } from "./words.js";

/** Returns today's date as YYYY-MM-DD, as in SGF. The Swedish locale "sv" has this format. */
export const today = () => new Date().toLocaleDateString("sv");

/** Returns the side for which a user can resign now, or null. If users play both sides, the side
 * to move can resign. */
const resigner = (state) => {
  const { node } = state.tree.turn;
  const side = ownSide(state) ?? sideAt(state.tree, node);
  const isPlayed = state.tree.live && state.mode === "play" && node.parent !== null && resultAt(node) === null;
  return isPlayed && isPerson(state, side) ? side : null;
};

export const createPlay = (store, game) => {
  const { state } = store;

  /** Ends the game at a node by a result (a loss on time or by resignation) and shows the node. If
   * `result` is null, removes the result of the node. */
  const end = async (node, result) => {
    node.result = result;
    store.touch("node", "revision");
    if (state.node === node) game.renew();
    else await game.seek(node);
    if (result) store.emit("ended", result);
  };

  /** Ends the game with a loss of `side`; `why` is "time" or "resignation". */
  const lose = (side, why) => end(state.tree.turn.node, { winner: otherSide(side), why });

  const resign = async () => {
    const { tree, tree: { turn: { node } } } = state;
    await lose(resigner(state), "resignation");
    const undone = () => { if (state.tree === tree) attempt(() => end(node, null)); };
    notify(words().resigned, { label: words().undoDelete, run: undone });
  };

  /** Begins a new game. `options` has fields of the game's tree, such as `players` and `clock`. */
  const begin = (query, options) => game.open({ game: query }, { cause: "new", live: true, date: today(), ...options });

  /** Begins a new game in which the players exchange sides, or begins an exercise again. */
  const rematch = () => {
    const { goal, start, clock, players: { first, second } } = state.tree;
    return begin({ position: start }, { goal, clock, players: goal ? { first, second } : { first: second, second: first } });
  };

  /** Continues the game from the current position, with the players and the clock in `options`. A
   * task or exercise becomes a game of the user. */
  const goOn = (options) => {
    const { node, task } = state;
    if (task && task.own.tree !== state.tree) keepReplacedGame(store);
    Object.assign(node, { clocks: null, result: null });
    Object.assign(state.tree, { goal: null, live: true, turn: { node, spent: 0 }, ...options });
    store.set({ advice: null, task: null, mode: "play", paused: false });
    store.configure({ flipped: ownSide(state) === "second" });
    store.touch("tree", "revision");
  };

  /** True if it is a user's turn to move at this node, not an engine's. */
  const isMine = (node) => isPerson(state, sideAt(state.tree, node));

  /** Takes moves back to the last position in which a user was to move. */
  const undo = async () => {
    const alone = !SIDES.some((side) => isPerson(state, side));
    const path = pathTo(state.node);
    const back = path.slice(0, -1).findLast((node) => alone || isMine(node)) ?? path[0];
    const taken = path[back.ply + 1];
    if (!taken || state.task) return;
    // Pauses a game between two engines, because an engine would at once move again.
    if (alone) store.set({ paused: true });
    // Taking a move back cancels a loss on time or by resignation, except in a game from a file.
    if (state.tree.live) state.node.result = null;
    await game.seek(back, "undo");
    if (ownSide(state)) store.emit("undone", taken);
  };

  const redo = async () => {
    if (state.task) return;
    const line = lineThrough(state.node).slice(state.node.ply + 1);
    await game.seek(line.find(isMine) ?? line.at(-1), "step");
  };

  store.on("lost", (side, why) => attempt(() => lose(side, why)));
  store.on("moved", (node, cause) => {
    if (state.mode === "task" || (cause !== "play" && cause !== "engine")) return;
    if (resultAt(node) && isPlayable(state)) store.emit("ended", resultAt(node));
  });
  store.view(["tree", "node", "revision", "mode"], () => { byId("resign").hidden = resigner(state) === null; });

  onClick("undo", undo);
  onClick("redo", redo);
  onClick("resign", resign);
  onClick("rematch", rematch);
  onClick("pause", () => {
    store.set({ paused: !state.paused });
    return game.seek(state.tree.turn.node);
  });

  return { begin, goOn };
};
