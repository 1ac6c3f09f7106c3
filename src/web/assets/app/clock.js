// Runs the clocks of both players. A clock limits the time of each move, or of the whole game.
//
// The clock starts after the first move of a game. `tree.turn.node` is the game's current position,
// even while the user views another position. `tree.turn.spent` has the milliseconds that the
// player to move has used in this position. `node.clocks` has the milliseconds that each player had
// left when the game reached the node, so that taking a move back also restores the clocks.

import { isPerson, resultAt } from "./players.js";
import { pathTo, sideAt } from "./tree.js";

const TICK_MS = 100;

/** Parses the setting of the clock. "move:30" allows 30 seconds for each move. "game:300+3" allows
 * 300 seconds for the game, and adds 3 seconds after each move. Returns the kind and the times in
 * milliseconds. Returns null for "0", which means no clock. */
export const parseClock = (name) => {
  const [kind, value] = name.split(":");
  const [base, increment] = (value ?? "").split("+").map(Number);
  return kind === "move" || kind === "game" ? { kind, base: base * 1000, increment: (increment || 0) * 1000 } : null;
};

/** Formats a time in milliseconds as minutes and seconds, or below 10 s as seconds and tenths. */
export const clockText = (left) => {
  const seconds = Math.max(0, left) / 1000;
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

export const createClock = (store) => {
  const { state } = store;
  // The turn whose time is being counted, and the start of the count; null while no clock runs.
  let running = null;
  let timer = null;

  const form = () => (state.tree.live ? parseClock(state.tree.clock) : null);

  const runs = () => {
    const { node } = state.tree.turn;
    return form() !== null && node.parent !== null && resultAt(node) === null && !state.paused && !state.waiting &&
      state.mode === "play" && (isPerson(state, sideAt(state.tree, node)) || state.search?.purpose === "play");
  };

  /** If the clock runs, adds the time since this function was last called to `running.turn.spent`.
   * Then lets the clock run if `runs()` is true, else stops it. */
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

  /** Returns the milliseconds that each side had left on the clock when a node was reached. */
  const before = (node, { kind, base }) => (kind === "move" ? null : node.clocks) ?? { first: base, second: base };

  /** Returns the milliseconds that each side has left now, or null if the game has no clock. */
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

  /** True if viewing a node makes it the game's current position. The node must be the last of its
   * line. In a game with a clock, the node must also come after the game's current position. */
  const becomesCurrent = (node) => node.children.length === 0 &&
    (form() === null || pathTo(node).includes(state.tree.turn.node));

  store.view(["tree", "node", "revision", "mode", "paused", "waiting", "search", "settings"], () => {
    account();
    show();
  });

  store.on("moved", (node, cause) => {
    if (state.mode === "task") return;
    account();
    const { turn } = state.tree;
    const clock = form();
    const isMade = cause === "play" || cause === "engine";
    if (isMade && clock) {
      const mover = sideAt(state.tree, node.parent);
      const had = before(node.parent, clock);
      const spent = node.parent === turn.node ? turn.spent : 0;
      node.clocks = { ...had, [mover]: Math.max(0, had[mover] - spent) + clock.increment };
    }
    if (isMade || cause === "undo" || (node !== turn.node && becomesCurrent(node))) give(node);
    account();
    show();
  });

  return {
    /** Returns the kind of the clock ("move" or "game"), and the remaining time and the increment
     * of a side in milliseconds. Returns null if the game has no clock. */
    timeControl: (side) => {
      account();
      const clock = form();
      return clock && { kind: clock.kind, remaining: Math.max(1, left()[side]), increment: clock.increment };
    },
  };
};
