// The actions on the game of the page: open a game, play a move, step, and change the tree. The
// engine checks every move.

import { askGame } from "./backend.js";
import { ownSide } from "./players.js";
import { keepReplacedGame } from "./storage.js";
import { addChild, choosePath, createTree, endOf, findNode, isVariation, lineThrough, movesTo, nextOf, pathTo, promote, remove } from "./tree.js";
import { dismissMessage, notify } from "./messages.js";
import { words } from "./words.js";

/** The milliseconds after which a move that did not reach the server is sent again. */
const RETRY_MS = 1500;

/** Creates the actions that change the game in `store`. Whenever they show another position, they
 * emit the signal `moved(node, cause, byHand)`. `cause` is one of these: another game ("open",
 * "restore", "new"), a task ("task"), a new move ("play", "engine"), a move taken back ("undo"), a
 * step to a later move ("step"), or a jump to any position ("seek"). `byHand` is true if the user
 * moved the amazon on the board, so that only the arrow must be animated. */
export const createGame = (store) => {
  const { state } = store;
  // The number of the latest request to the engine. Answers to earlier requests are ignored.
  let request = 0;
  // The node of the move that the engine is checking, or null.
  let sending = null;

  const ask = async (query) => {
    const mine = ++request;
    const answer = await askGame(query);
    return mine === request ? answer : null;
  };

  /** If an engine plays a side, makes the path to the played move `node` the main line. If users
   * play both sides, and the move was played in the game's current position (`tree.turn.node`),
   * makes `node` the first child of this position. */
  const promotePlayedMove = (node) => {
    if (state.mode === "task") return;
    const isTurn = state.tree.turn.node === node.parent && node.parent.children[0] !== node;
    if (Object.values(state.tree.players).some((name) => name !== "person")) while (isVariation(node)) promote(node);
    else if (isTurn) promote(node);
  };

  const arrive = (node, cause, byHand) => {
    store.set({ node, pointed: null, hint: null, ending: null });
    store.emit("moved", node, cause, byHand);
  };

  const show = (node, cause = "seek", byHand = cause === "play") => {
    if (cause === "play" || cause === "engine") promotePlayedMove(node);
    if (!state.task) store.set({ advice: null });
    choosePath(node);
    store.touch("revision");
    arrive(node, cause, byHand);
  };

  /** Replaces the game on the page by another tree. Shows `node`, whose position must be known. */
  const replaceTree = (tree, node, cause) => {
    const isOther = cause === "open" || cause === "new";
    if (isOther) keepReplacedGame(store);
    request += 1;
    store.set({ tree });
    if (cause !== "task" && state.task) store.set({ paused: state.task.own.paused });
    if (cause !== "task") store.set({ advice: null, task: null, mode: "play" });
    if (cause === "new") store.set({ paused: false });
    if (isOther) store.configure({ flipped: ownSide(state) === "second" });
    if (cause !== "restore") {
      // Hides messages about the previous game, and scrolls up to the board, for small screens.
      dismissMessage();
      scrollTo(0, 0);
    }
    show(node, cause);
  };

  const game = { replaceTree };

  game.renew = () => arrive(state.node, "seek", false);

  /** Shows the game that the engine has read or created, at a ply. Returns the tree of the game. */
  game.load = (answer, { ply = answer.moves.length, cause = "open", ...more } = {}) => {
    const tree = { ...createTree(answer), ...more };
    const line = lineThrough(tree.root);
    replaceTree(tree, line[Math.min(ply, line.length - 1)], cause);
    return tree;
  };

  /** Asks the engine for a game and shows it. Returns the answer, or null if there is a
   * newer request. */
  game.open = async (query, options) => {
    const answer = await ask(query);
    if (answer && !answer.games) game.load(answer, options);
    return answer;
  };

  /** Asks the engine for the unknown positions of the line through a node, and stores them. Returns
   * false if the page made another request before the answer came. */
  const fill = async (tree, node) => {
    const line = lineThrough(node);
    const since = line.findIndex(({ position }) => !position);
    if (since < 0) return true;
    const answer = await ask({ game: { position: tree.start, moves: movesTo(line.at(-1)) }, since });
    if (!answer) return false;
    answer.positions.forEach((position, index) => { line[since + index].position = position; });
    return true;
  };

  /** Asks the engine for the position of the new node `made`, and repeats the request until the
   * server can be reached. Returns true if the page can show the move. Returns false if the page no
   * longer waits for the move (`isDue()` is false) or has made a newer request. Before it returns
   * false, the function removes `made` from the tree if the first request reached the server.
   * Otherwise the tree keeps `made`. */
  const deliver = async (tree, made, isDue) => {
    for (let waits = false; ; waits = true) {
      try {
        const shown = (await fill(tree, made)) && isDue();
        if (shown && waits) notify(words().sentAgain(made.move));
        if (!shown && !waits) remove(made);
        return shown;
      } catch (error) {
        // The request is repeated only if the server cannot be reached. Other errors are final.
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

  /** Shows the position after `moves` in a stored tree. Returns false if a newer request exists. */
  game.restore = async (tree, moves) => {
    const node = findNode(tree, moves) ?? endOf(tree.root);
    if (!(await fill(tree, node))) return false;
    replaceTree(tree, node, "restore");
    return true;
  };

  /** Stores that the game differs from its link or file, because the user has changed the game. */
  const changed = () => { state.tree.linked = false; };

  /** Plays a move in the position of the node `from`. A move that is not yet a child of the node is
   * added to the tree, and is removed again if the engine refuses it. */
  game.play = async (move, cause = "play", byHand = cause === "play", from = state.node) => {
    const existing = from.children.find((child) => child.move === move);
    if (existing && existing === sending) return undefined;
    if (existing) return game.seek(existing, cause, byHand);
    const { tree } = state;
    const made = addChild(from, move);
    sending = made;
    const isDue = () => state.node === from || (cause === "engine" && state.tree === tree && tree.turn.node === from);
    const shown = await deliver(tree, made, isDue).finally(() => {
      if (sending === made) sending = null;
      if (state.waiting === made) store.set({ waiting: null });
      if (from.children.includes(made)) changed();
    });
    if (shown) show(made, cause, byHand);
    return undefined;
  };

  game.seek = async (node, cause = "seek", byHand) => {
    if (!node || node === state.node) return;
    if (node.position || (await fill(state.tree, node))) show(node, cause, byHand);
  };

  game.back = () => game.seek(state.node.parent);
  game.forward = () => game.seek(nextOf(state.node), "step");
  game.toStart = () => game.seek(state.tree.root);
  game.toEnd = () => game.seek(endOf(state.node));
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
    // The review's summary counted the verdict on the deleted move, so the summary is now wrong.
    if (node.judged) tree.review = null;
    if (pathTo(tree.turn.node).includes(node)) tree.turn = { node: node.parent, spent: 0 };
    changed();
    show(node.parent);
    return () => {
      // The deleted move is not restored if the page shows another game, or lacks the parent node.
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
