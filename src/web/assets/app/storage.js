// What outlives the page: the game in the address, so that a link shares it; variations and
// settings in local storage.

import { read, write } from "./kept.js";
import { lineThrough, movesTo, pack, unpack } from "./tree.js";
import { partsOf } from "./rules.js";

const GAME = "quiver.game";
const ASIDE = "quiver.aside";
const DELAY = 200;

/** How many games are kept that another has replaced. */
const MOST_ASIDE = 8;

const packGame = ({ tree, moves }) => ({ tree: pack(tree), moves });
const unpackGame = ({ tree, moves }) => ({ tree: unpack(tree), moves });

/** The game that was kept, with the moves to its position on the board, or null. */
export const keptGame = () => {
  try {
    const kept = read(GAME);
    return kept && unpackGame(kept);
  } catch {
    return null;
  }
};

/** The games that others have replaced, the latest last. */
const aside = () => {
  const list = read(ASIDE);
  return Array.isArray(list) ? list : [];
};

export const countAside = () => aside().length;

/** The games that others have replaced, the latest first. */
export const asideGames = () => aside().reverse().flatMap((game) => {
  try { return [unpackGame(game)]; } catch { return []; }
});

/**
 * Whether a game would be lost if another replaced it. The game of a link is lost only if it was changed, and that of an
 * exercise can be had again.
 */
const isOwn = ({ tree }) => !tree.linked && !tree.goal && tree.root.children.length > 0;

/** Keeps a game that another replaces on the board of `store`; `others`: the games set aside before, the latest first. */
export const setAside = (store, game = gameOf(store.state), others = asideGames()) => {
  const list = [...(isOwn(game) ? [game] : []), ...others].slice(0, MOST_ASIDE);
  write(ASIDE, list.map(packGame).reverse());
  store.set({ aside: list.length });
};

/** The game on the board, as it is kept. */
export const gameOf = (state) => {
  const { tree, node } = ownGame(state);
  return { tree, moves: movesTo(node) };
};

/** The game on the board; in a lesson, the game to go back to. */
const ownGame = ({ tree, node, task }) => task?.own ?? { tree, node };

/** The game of an address: where it begins, its moves, and how many of them are played. Null if it has none. */
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

/** The fragment of the address of the line through a node. */
const writeAddress = ({ tree, node }, starts) => {
  const board = Object.keys(starts).find((side) => starts[side] === tree.start);
  const fields = new URLSearchParams(board ? { board } : { position: tree.start });
  const moves = lineThrough(node).slice(1).map(({ move }) => Object.values(partsOf(move)).join(""));
  if (moves.length) fields.set("moves", moves.join("_"));
  if (node.ply < moves.length) fields.set("at", node.ply);
  return `#${fields}`;
};

/**
 * Keeps the game of `store` from now on. `unread` is the kept game that could not be shown, or null: it
 * stays where it is until there is another game to keep.
 */
export const keep = (store, unread) => {
  const { state } = store;
  const first = state.tree;
  let timer = null;

  const save = () => {
    clearTimeout(timer);
    timer = null;
    if (state.mode === "setup") return;
    if (unread) {
      if (state.tree === first && first.root.children.length === 0) return;
      setAside(store, unread);
      unread = null;
    }
    write(GAME, packGame(gameOf(state)));
    const own = ownGame(state);
    const address = writeAddress(own, state.catalogue.starts);
    if (location.hash !== address) history.replaceState(null, "", address);
  };

  store.view(["tree", "node", "revision"], () => { timer ??= setTimeout(save, DELAY); });
  addEventListener("pagehide", save);
};
