// What outlives the page: the game in the address, so that a link shares it; variations and settings in local storage.

import { movesTo, pack, unpack } from "./tree.js";
import { partsOf } from "./rules.js";

const GAME = "quiver.game";
const SETTINGS = "quiver.settings";
const DELAY = 200;

const read = (key) => {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
};

const write = (key, value) => {
  // Where storage is off or full, the address still keeps the game.
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* See above. */ }
};

export const keptSettings = () => read(SETTINGS) || {};

/** The tree that was kept, or null. */
export const keptTree = () => {
  try {
    const kept = read(GAME);
    return kept && { tree: unpack(kept.tree), moves: kept.moves };
  } catch {
    return null;
  }
};

/** The game of an address: where it begins, its moves, and how many of them are played. Null if it has none. */
export const readAddress = (hash, starts) => {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const start = fields.get("position") ?? starts[fields.get("board")];
  if (!start) return null;
  const moves = (fields.get("moves") || "").split("_").filter(Boolean);
  const whole = moves.map((move) => move.replace(/^([a-z]\d+)([a-z]\d+)([a-z]\d+)$/, "$1-$2/$3"));
  const at = Number(fields.get("at") ?? whole.length);
  return { start, moves: whole, at: Number.isInteger(at) ? Math.min(Math.max(at, 0), whole.length) : whole.length };
};

/** The fragment of the address of the line through a node. */
export const writeAddress = ({ tree, node }, starts, line) => {
  const board = Object.keys(starts).find((side) => starts[side] === tree.start);
  const fields = new URLSearchParams(board ? { board } : { position: tree.start });
  const moves = line.slice(1).map(({ move }) => Object.values(partsOf(move)).join(""));
  if (moves.length) fields.set("moves", moves.join("_"));
  if (node.ply < moves.length) fields.set("at", node.ply);
  return `#${fields}`;
};

/** Keeps the game and the settings of `store` from now on; `line(node)` gives the line that the address holds. */
export const keep = (store, starts, line) => {
  const { state } = store;
  let timer = null;

  const save = () => {
    clearTimeout(timer);
    timer = null;
    if (state.mode === "setup") return;
    write(GAME, { tree: pack(state.tree), moves: movesTo(state.node) });
    const address = writeAddress(state, starts, line(state.node));
    if (location.hash !== address) history.replaceState(null, "", address);
  };

  store.view(["tree", "node", "revision"], () => { timer ??= setTimeout(save, DELAY); });
  store.view(["settings"], () => write(SETTINGS, state.settings));
  addEventListener("pagehide", save);
};
