// What can be done with the game on the page: open, play, step, and change the tree. The engine
// checks every move.

import { askGame } from "./backend.js";
import { ownSide } from "./players.js";
import { setAside } from "./storage.js";
import { addChild, choosePath, createTree, endOf, find, isVariation, lineThrough, movesTo, nextOf, pathTo, promote, remove } from "./tree.js";
import { dismiss, notify } from "./trouble.js";
import { words } from "./words.js";

/** How long a move waits until it is sent again, in milliseconds. */
const AGAIN = 1500;

/**
 * Actions on the game in `store`. The signal `moved` tells of every position that comes on the board, and how: of another
 * tree by "open", "restore", "new" or "task"; of this tree by "play", "engine", "undo", "step" or "seek". It says also
 * whether the person has moved the amazon on the board already.
 */
export const createGame = (store) => {
  const { state } = store;
  // Of two requests under way the later one counts.
  let request = 0;

  const ask = async (query) => {
    const mine = ++request;
    const answer = await askGame(query);
    return mine === request ? answer : null;
  };

  /** The move made where the turn is leads the others there; with an engine in the game its whole line is the main line. */
  const lead = (node) => {
    if (state.mode === "task") return;
    const isTurn = state.tree.turn.node === node.parent && node.parent.children[0] !== node;
    if (Object.values(state.tree.players).some((name) => name !== "person")) while (isVariation(node)) promote(node);
    else if (isTurn) promote(node);
  };

  const arrive = (node, how, byHand) => {
    store.set({ node, pointed: null, hint: null, ending: null });
    store.emit("moved", node, how, byHand);
  };

  const show = (node, how = "seek", byHand = how === "play") => {
    if (how === "play" || how === "engine") lead(node);
    if (!state.task) store.set({ advice: null });
    choosePath(node);
    store.touch("revision");
    arrive(node, how, byHand);
  };

  /** Puts a tree on the board whose positions here are known. */
  const put = (tree, node, how) => {
    const isOther = how === "open" || how === "new";
    if (isOther) setAside(store);
    // What was asked for another tree comes too late.
    request += 1;
    store.set({ tree });
    if (how !== "task") store.set({ advice: null, task: null, mode: "play" });
    if (how === "new") store.set({ paused: false });
    if (isOther) store.configure({ flipped: ownSide(state) === "second" });
    if (how !== "restore") {
      // What was said of another game is over. On a phone the board may be out of sight.
      dismiss();
      scrollTo(0, 0);
    }
    show(node, how);
  };

  const game = { put };

  /** Shows the position on the board once more. */
  game.renew = () => arrive(state.node, "seek", false);

  /** Takes a game as the engine tells it. Returns its tree. */
  game.load = (answer, { ply = answer.moves.length, how = "open", ...more } = {}) => {
    const tree = { ...createTree(answer), ...more };
    const line = lineThrough(tree.root);
    put(tree, line[Math.min(ply, line.length - 1)], how);
    return tree;
  };

  /** Asks for a game and takes it. Returns the answer, or null if another request overtook it. */
  game.open = async (query, options) => {
    const answer = await ask(query);
    if (answer && !answer.games) game.load(answer, options);
    return answer;
  };

  /** Fills in the positions of the line through a node. */
  const fill = async (tree, node) => {
    const line = lineThrough(node);
    const since = line.findIndex(({ position }) => !position);
    if (since < 0) return true;
    const answer = await ask({ game: { position: tree.start, moves: movesTo(line.at(-1)) }, since });
    if (!answer) return false;
    answer.positions.forEach((position, index) => { line[since + index].position = position; });
    return true;
  };

  /**
   * Fills in a move that was made, and sends it again while the server is away. Returns whether it may be shown; one that
   * came too late is taken out, unless it had to wait.
   */
  const deliver = async (tree, made, isDue) => {
    for (let waits = false; ; waits = true) {
      try {
        const shown = (await fill(tree, made)) && isDue();
        if (shown && waits) notify(words().sentAgain(made.move));
        if (!shown && !waits) remove(made);
        return shown;
      } catch (error) {
        // Only a server that cannot be reached is worth another try.
        if (!error.away) {
          remove(made);
          throw error;
        }
        store.set({ waiting: made });
        store.touch("revision");
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
        if (!isDue()) return false;
      }
    }
  };

  /** Takes a tree that was kept, and stands where its moves lead. Returns false if another request overtook it. */
  game.restore = async (tree, moves) => {
    const node = find(tree, moves) ?? endOf(tree.root);
    if (!(await fill(tree, node))) return false;
    put(tree, node, "restore");
    return true;
  };

  /** The tree is no longer the one that a link has brought. */
  const changed = () => { state.tree.linked = false; };

  /** Plays a move from here, or the engine's from where it is due; another move than before begins a variation. */
  game.play = async (move, how = "play", byHand = how === "play", from = state.node) => {
    const known = from.children.find((child) => child.move === move);
    if (known) return game.seek(known, how, byHand);
    const { tree } = state;
    const made = addChild(from, move);
    const isDue = () => state.node === from || (how === "engine" && state.tree === tree && tree.turn.node === from);
    const shown = await deliver(tree, made, isDue).finally(() => {
      if (state.waiting === made) store.set({ waiting: null });
      if (from.children.includes(made)) changed();
    });
    if (shown) show(made, how, byHand);
  };

  game.seek = async (node, how = "seek", byHand) => {
    if (!node || node === state.node) return;
    if (node.position || (await fill(state.tree, node))) show(node, how, byHand);
  };

  game.back = () => game.seek(state.node.parent);
  game.forward = () => game.seek(nextOf(state.node), "step");
  game.toStart = () => game.seek(state.tree.root);
  game.toEnd = () => game.seek(endOf(state.node));
  /** Goes to the position after `ply` plies of the line through the current position. */
  game.toPly = (ply) => {
    const line = lineThrough(state.node);
    return game.seek(line[Math.min(Math.max(ply, 0), line.length - 1)]);
  };

  game.promote = () => {
    promote(state.node);
    changed();
    store.touch("revision");
  };

  /** Deletes this move and what follows; returns what undoes that. */
  game.remove = () => {
    const { node, tree } = state;
    const { review } = tree;
    const restore = remove(node);
    // The summary counts the moves that were judged.
    if (node.judged) tree.review = null;
    if (pathTo(tree.turn.node).includes(node)) tree.turn = { node: node.parent, spent: 0 };
    changed();
    show(node.parent);
    return () => {
      // Another game may be on the board by now, or the move before this one deleted too.
      if (state.tree !== tree || find(tree, movesTo(node.parent)) !== node.parent) return;
      restore();
      tree.review ??= review;
      show(node);
    };
  };

  game.comment = (text) => {
    state.node.comment = text;
    changed();
    store.touch("revision");
  };

  return game;
};
