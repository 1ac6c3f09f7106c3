// A game as it is played: new games, moves taken back, and games that end before the last move.

import { at } from "./elements.js";
import { SIDES, isPerson, isPlayable, otherSide, ownSide, parsePlayer, resultAt } from "./players.js";
import { lineThrough, pathTo, sideAt } from "./tree.js";
import { attempt, notify, onClick } from "./trouble.js";
import { words } from "./words.js";

/** The date as SGF writes it, which is how Sweden does. */
export const today = () => new Date().toLocaleDateString("sv");

/** The side that can resign: the person's own, or of two persons the one to move; null where nobody can. */
const resigner = (state) => {
  const { node } = state.tree.turn;
  const side = ownSide(state) ?? sideAt(state.tree, node);
  const isPlayed = state.tree.live && state.mode === "play" && node.parent !== null && resultAt(node) === null;
  return isPlayed && isPerson(state, side) ? side : null;
};

export const createPlay = (store, game) => {
  const { state } = store;

  /** Ends the game by a result that no rule tells. The end comes on the board, wherever the person looks. */
  const end = async (node, result) => {
    node.result = result;
    store.touch("node", "revision");
    if (state.node === node) game.renew();
    else await game.seek(node);
    if (result) store.emit("ended", result);
  };

  /** A side has lost though it has moves: it is out of time, or resigned. */
  const lose = (side, why) => end(state.tree.turn.node, { winner: otherSide(side), why });

  const resign = async () => {
    const { tree, tree: { turn: { node } } } = state;
    await lose(resigner(state), "resignation");
    const undone = () => { if (state.tree === tree) attempt(() => end(node, null)); };
    notify(words().resigned, { label: words().undoDelete, run: undone });
  };

  /** Begins a game; `options` are those of its tree, with its players. */
  const begin = (query, options) => game.open({ game: query }, { how: "new", live: true, date: today(), ...options });

  /** The same game with the sides changed; an exercise as it was. */
  const rematch = () => {
    const { goal, start, clock, players: { first, second } } = state.tree;
    return begin({ position: start }, { goal, clock, players: goal ? { first, second } : { first: second, second: first } });
  };

  /** Lets other players go on from the position on the board, with another clock. */
  const goOn = (options) => {
    const { node } = state;
    Object.assign(node, { clocks: null, result: null });
    Object.assign(state.tree, { live: true, turn: { node, spent: 0 }, ...options });
    store.set({ paused: false });
    store.configure({ flipped: ownSide(state) === "second" });
    store.touch("tree", "revision");
  };

  /** Whether a person is to move at a node whose position may not be known. */
  const isMine = (node) => isPerson(state, sideAt(state.tree, node));

  /** Back to where a person was last to move. */
  const undo = async () => {
    const alone = !SIDES.some((side) => isPerson(state, side));
    const path = pathTo(state.node);
    const back = path.slice(0, -1).findLast((node) => alone || isMine(node)) ?? path[0];
    const taken = path[back.ply + 1];
    if (!taken || state.task) return;
    // Engines alone would make the move again at once.
    if (alone) store.set({ paused: true });
    // A game that was lost by time or resigned goes on where the move is taken back; the result of a file stays.
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
  store.on("moved", (node, how) => {
    if (state.mode === "task" || (how !== "play" && how !== "engine")) return;
    if (resultAt(node) && isPlayable(state)) store.emit("ended", resultAt(node));
  });
  store.view(["tree", "node", "revision", "mode"], () => { at("resign").hidden = resigner(state) === null; });

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
