// Whose turn it is, and the clocks of both sides, per move or per game.
//
// `tree.turn` holds the node whose turn runs and the milliseconds spent on it so far. A look at another position leaves
// it where it is, so that it stops neither the clock nor the flag. A node keeps what both sides had left when its
// position arose: a move that is taken back gives its time back. The clock starts with the first move of a game.

import { isPerson, otherSide, resultAt } from "./players.js";
import { pathTo, sideAt } from "./tree.js";

const TICK = 100;

/** "0" is no clock; "move:30" seconds a move; "game:300+3" seconds a game and seconds added by each move. */
export const parseClock = (name) => {
  const [kind, value] = name.split(":");
  const [base, increment] = (value ?? "").split("+").map(Number);
  return kind === "move" || kind === "game" ? { kind, base: base * 1000, increment: (increment || 0) * 1000 } : null;
};

/** Milliseconds as a clock shows them. */
export const clockText = (left) => {
  const seconds = Math.max(0, left) / 1000;
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Clocks for the game in `store`. */
export const createClock = (store) => {
  const { state } = store;
  // The turn that is charged and since when; null while no clock runs.
  let running = null;
  let timer = null;

  const form = () => (state.tree.live ? parseClock(state.tree.clock) : null);

  const runs = () => {
    const { node } = state.tree.turn;
    return form() !== null && node.parent !== null && resultAt(node) === null && !state.paused && !state.waiting &&
      state.mode === "play" && (isPerson(state, sideAt(state.tree, node)) || state.search?.purpose === "play");
  };

  /** Charges the running turn up to now, and goes on with the turn that runs from now on. */
  const account = () => {
    const now = performance.now();
    if (running) running.turn.spent += now - running.since;
    running = runs() ? { turn: state.tree.turn, since: now } : null;
    if (running) timer ??= setInterval(tick, TICK);
    else {
      clearInterval(timer);
      timer = null;
    }
  };

  /** What both sides had left at a node. */
  const before = (node, { kind, base }) => (kind === "move" ? null : node.clocks) ?? { first: base, second: base };

  /** What both sides have left, or null without a clock. */
  const left = () => {
    const clock = form();
    if (!clock) return null;
    const { node, spent } = state.tree.turn;
    const had = before(node, clock);
    const side = sideAt(state.tree, node);
    return { ...had, [side]: had[side] - spent };
  };

  const show = () => store.set({ clocks: left() });

  const tick = () => {
    account();
    show();
    const side = sideAt(state.tree, state.tree.turn.node);
    if (running && left()[side] <= 0) store.emit("lost", side, "time");
  };

  const give = (node) => { state.tree.turn = { node, spent: 0 }; };

  /** Whether the turn goes to a node that is looked at: without a clock to every end of a line. */
  const takes = (node) => node.children.length === 0 && (form() === null || pathTo(node).includes(state.tree.turn.node));

  store.view(["tree", "node", "revision", "mode", "paused", "waiting", "search", "settings"], () => {
    account();
    show();
  });

  store.on("moved", (node, how) => {
    if (state.mode === "task") return;
    account();
    const { turn } = state.tree;
    const clock = form();
    const isMade = how === "play" || how === "engine";
    if (isMade && clock) {
      const mover = sideAt(state.tree, node.parent);
      const had = before(node.parent, clock);
      const spent = node.parent === turn.node ? turn.spent : 0;
      node.clocks = { ...had, [mover]: Math.max(0, had[mover] - spent) + clock.increment };
    }
    if (isMade || how === "undo" || (node !== turn.node && takes(node))) give(node);
    account();
    show();
  });

  return {
    /** What a search of this side may use, or null without a clock. */
    bank: (side) => {
      account();
      const clock = form();
      return clock && { kind: clock.kind, remaining: Math.max(1, left()[side]), increment: clock.increment };
    },
  };
};
