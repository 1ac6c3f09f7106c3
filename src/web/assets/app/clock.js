// The clocks of both players, for each move or for the whole game.
//
// `tree.turn` is the node whose player's time runs, with the milliseconds spent there so far. While
// the user views another position, this clock goes on. `clocks` of a node is the time that both
// players had left at its position, so that taking a move back restores the time. The clock starts
// after the first move of a game.

import { isPerson, otherSide, resultAt } from "./players.js";
import { pathTo, sideAt } from "./tree.js";

const TICK_MS = 100;

/** Parses a clock: "0" is no clock (null), "move:30" is 30 seconds a move, and "game:300+3" is 300
 * seconds for the game with 3 more after each move. The result is in milliseconds. */
export const parseClock = (name) => {
  const [kind, value] = name.split(":");
  const [base, increment] = (value ?? "").split("+").map(Number);
  return kind === "move" || kind === "game" ? { kind, base: base * 1000, increment: (increment || 0) * 1000 } : null;
};

/** Formats milliseconds as minutes and seconds, or below 10 s as seconds with tenths. */
export const clockText = (left) => {
  const seconds = Math.max(0, left) / 1000;
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Runs the clocks of the game in `store`. */
export const createClock = (store) => {
  const { state } = store;
  // The turn whose clock runs, and since when; null while no clock runs.
  let running = null;
  let timer = null;

  const form = () => (state.tree.live ? parseClock(state.tree.clock) : null);

  const runs = () => {
    const { node } = state.tree.turn;
    return form() !== null && node.parent !== null && resultAt(node) === null && !state.paused && !state.waiting &&
      state.mode === "play" && (isPerson(state, sideAt(state.tree, node)) || state.search?.purpose === "play");
  };

  /** Adds the time until now to the running turn, then starts or stops the clock as `runs` says. */
  const account = () => {
    const now = performance.now();
    if (running) running.turn.spent += now - running.since;
    running = runs() ? { turn: state.tree.turn, since: now } : null;
    if (running) timer ??= setInterval(tick, TICK_MS);
    else {
      clearInterval(timer);
      timer = null;
    }
  };

  /** Returns the milliseconds that both sides had left at a node. */
  const before = (node, { kind, base }) => (kind === "move" ? null : node.clocks) ?? { first: base, second: base };

  /** Returns the milliseconds that both sides have left now, or null without a clock. */
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

  /** True if a viewed node becomes the current turn: it ends a line, and if a clock runs, it comes
   * after the current turn. */
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
    /** Returns the limits of a search by this side in milliseconds, or null without a clock. */
    bank: (side) => {
      account();
      const clock = form();
      return clock && { kind: clock.kind, remaining: Math.max(1, left()[side]), increment: clock.increment };
    },
  };
};
