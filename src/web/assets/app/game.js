// The actions on the game of the page: open a game, play a move, step, and change the tree. The
// engine checks every move.

import { askGame } from "./backend.js";
import { ownSide } from "./players.js";
import { setAside } from "./storage.js";
import { addChild, choosePath, createTree, endOf, findNode, isVariation, lineThrough, movesTo, nextOf, pathTo, promote, remove } from "./tree.js";
import { dismiss, notify } from "./messages.js";
import { words } from "./words.js";

/** The time until a move that could not be sent is sent again, in milliseconds. */
const RETRY_MS = 1500;

/** Creates the actions on the game in `store`. Each position that is shown emits the signal `moved`
 * with its cause: "open", "restore", "new" or "task" for another tree; "play", "engine", "undo",
 * "step" or "seek" for this tree; then true if the user has already moved the amazon by hand. */
export const createGame = (store) => {
  const { state } = store;
  // The number of the latest request. Answers to earlier requests are ignored.
  let request = 0;

  const ask = async (query) => {
    const mine = ++request;
    const answer = await askGame(query);
    return mine === request ? answer : null;
  };

  /** Makes a new move the first of the alternatives at the current turn. In a game against an engine,
   * the whole line that leads to the move becomes the main line. */
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

  /** Shows a node of another tree. The node must have its position. */
  const put = (tree, node, how) => {
    const isOther = how === "open" || how === "new";
    if (isOther) setAside(store);
    // Pending answers for the previous tree are ignored.
    request += 1;
    store.set({ tree });
    if (how !== "task") store.set({ advice: null, task: null, mode: "play" });
    if (how === "new") store.set({ paused: false });
    if (isOther) store.configure({ flipped: ownSide(state) === "second" });
    if (how !== "restore") {
      // Removes messages on the previous game. On a phone the board may be out of view.
      dismiss();
      scrollTo(0, 0);
    }
    show(node, how);
  };

  const game = { put };

  /** Draws the current position again. */
  game.renew = () => arrive(state.node, "seek", false);

  /** Shows the game of an engine's answer. Returns its tree. */
  game.load = (answer, { ply = answer.moves.length, how = "open", ...more } = {}) => {
    const tree = { ...createTree(answer), ...more };
    const line = lineThrough(tree.root);
    put(tree, line[Math.min(ply, line.length - 1)], how);
    return tree;
  };

  /** Requests and shows a game. Returns the answer, or null if a later request replaced it. */
  game.open = async (query, options) => {
    const answer = await ask(query);
    if (answer && !answer.games) game.load(answer, options);
    return answer;
  };

  /** Requests the missing positions of a line. Returns false if a later request replaced it. */
  const fill = async (tree, node) => {
    const line = lineThrough(node);
    const since = line.findIndex(({ position }) => !position);
    if (since < 0) return true;
    const answer = await ask({ game: { position: tree.start, moves: movesTo(line.at(-1)) }, since });
    if (!answer) return false;
    answer.positions.forEach((position, index) => { line[since + index].position = position; });
    return true;
  };

  /** Requests the position after the move `made`, again and again while the server is unreachable.
   * Returns true if the move may be shown. If it is no longer due, it is removed from the tree,
   * unless the request had to be repeated. */
  const deliver = async (tree, made, isDue) => {
    for (let waits = false; ; waits = true) {
      try {
        const shown = (await fill(tree, made)) && isDue();
        if (shown && waits) notify(words().sentAgain(made.move));
        if (!shown && !waits) remove(made);
        return shown;
      } catch (error) {
        // Only an unreachable server is tried again.
        if (!error.away) {
          remove(made);
          throw error;
        }
        store.set({ waiting: made });
        store.touch("revision");
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (!isDue()) return false;
      }
    }
  };

  /** Shows a stored tree after `moves`. Returns false if a later request replaced this one. */
  game.restore = async (tree, moves) => {
    const node = findNode(tree, moves) ?? endOf(tree.root);
    if (!(await fill(tree, node))) return false;
    put(tree, node, "restore");
    return true;
  };

  /** Notes that the tree differs from the game of its link or file. */
  const changed = () => { state.tree.linked = false; };

  /** Plays a move at the node `from`. A move that the node does not have begins a variation. */
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
  /** Shows the position after `ply` plies of the current line. */
  game.toPly = (ply) => {
    const line = lineThrough(state.node);
    return game.seek(line[Math.min(Math.max(ply, 0), line.length - 1)]);
  };

  game.promote = () => {
    promote(state.node);
    changed();
    store.touch("revision");
  };

  /** Deletes the current move with all later moves. Returns a function that restores them. */
  game.remove = () => {
    const { node, tree } = state;
    const { review } = tree;
    const restore = remove(node);
    // The summary of the review counted this move, so it is no longer valid.
    if (node.judged) tree.review = null;
    if (pathTo(tree.turn.node).includes(node)) tree.turn = { node: node.parent, spent: 0 };
    changed();
    show(node.parent);
    return () => {
      // By now the page may show another game, or the previous move may be deleted too.
      if (state.tree !== tree || findNode(tree, movesTo(node.parent)) !== node.parent) return;
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
