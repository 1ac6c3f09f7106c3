// Stores the user's game. The page's address, which can be shared as a link, has the moves of the
// current line. The browser's local storage has the whole game with variations and comments.

import { readStored, writeStored } from "./local-storage.js";
import { lineThrough, movesTo, packTree, unpackTree } from "./tree.js";
import { partsOf } from "./rules.js";

const GAME_KEY = "quiver.game";
// Earlier builds of the page stored games under this name, and this build must find them.
const REPLACED_KEY = "quiver.aside";
const SAVE_DELAY_MS = 200;

/** The largest number of the user's games that stay stored after other games have replaced them. */
const MAX_REPLACED = 8;

const packGame = ({ tree, moves }) => ({ tree: packTree(tree), moves });
const unpackGame = ({ tree, moves }) => ({ tree: unpackTree(tree), moves });

/** Returns the stored game as a tree and the moves to its current position, or null if none. */
export const keptGame = () => {
  try {
    const kept = readStored(GAME_KEY);
    return kept && unpackGame(kept);
  } catch {
    return null;
  }
};

/** Returns the user's games that other games have replaced, in stored form, latest game last. */
const storedReplaced = () => {
  const list = readStored(REPLACED_KEY);
  return Array.isArray(list) ? list : [];
};

export const replacedCount = () => storedReplaced().length;

/** Returns the user's games that other games have replaced, with the latest game first. */
export const replacedGames = () => storedReplaced().reverse().flatMap((game) => {
  try { return [unpackGame(game)]; } catch { return []; }
});

/** True if a game must be stored before another game replaces it: if it has moves, and is neither
 * an exercise nor an unchanged game from a link or file. */
const isWorthKeeping = ({ tree }) => !tree.linked && !tree.goal && tree.root.children.length > 0;

/** Stores `game`, which another game is about to replace, with the games `others` that were
 * replaced earlier. */
export const keepReplacedGame = (store, game = gameOf(store.state), others = replacedGames()) => {
  const list = [...(isWorthKeeping(game) ? [game] : []), ...others].slice(0, MAX_REPLACED);
  writeStored(REPLACED_KEY, list.map(packGame).reverse());
  store.set({ replaced: list.length });
};

export const gameOf = (state) => {
  const { tree, node } = ownGame(state);
  return { tree, moves: movesTo(node) };
};

/** Returns the user's game: during a task the game before the task, else the game on the board. */
const ownGame = ({ tree, node, task }) => task?.own ?? { tree, node };

/** Reads the start position, the moves and the current ply from the fragment of an address. Returns
 * null if it has no known start position. `starts` has the start position of each board size. */
export const readAddress = (hash, starts) => {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const board = fields.get("board");
  const start = fields.get("position") ?? (Object.hasOwn(starts, board) ? starts[board] : null);
  if (!start) return null;
  const moves = (fields.get("moves") || "").split("_").filter(Boolean);
  const whole = moves.map((move) => move.replace(/^([a-z]\d+)([a-z]\d+)([a-z]\d+)$/, "$1-$2/$3"));
  const at = Number(fields.get("at") ?? whole.length);
  return { start, moves: whole, at: Number.isInteger(at) ? Math.min(Math.max(at, 0), whole.length) : whole.length };
};

const writeAddress = ({ tree, node }, starts) => {
  const board = Object.keys(starts).find((side) => starts[side] === tree.start);
  const fields = new URLSearchParams(board ? { board } : { position: tree.start });
  const moves = lineThrough(node).slice(1).map(({ move }) => Object.values(partsOf(move)).join(""));
  if (moves.length) fields.set("moves", moves.join("_"));
  if (node.ply < moves.length) fields.set("at", node.ply);
  return `#${fields}`;
};

/** Stores the game after each change. `unread` is a stored game that could not be shown, or null.
 * When the user moves or opens a game, the page's game is stored in place of `unread`, and `unread`
 * is added to the replaced games. */
export const storeGameOnChange = (store, unread) => {
  const { state } = store;
  const first = state.tree;
  let timer = null;

  const save = () => {
    clearTimeout(timer);
    timer = null;
    if (state.mode === "setup") return;
    if (unread) {
      if (state.tree === first && first.root.children.length === 0) return;
      keepReplacedGame(store, unread);
      unread = null;
    }
    writeStored(GAME_KEY, packGame(gameOf(state)));
    const own = ownGame(state);
    const address = writeAddress(own, state.catalogue.starts);
    if (location.hash !== address) history.replaceState(null, "", address);
  };

  store.view(["tree", "node", "revision"], () => { timer ??= setTimeout(save, SAVE_DELAY_MS); });
  addEventListener("pagehide", save);
};
