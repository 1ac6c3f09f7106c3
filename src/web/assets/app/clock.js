// Clocks of both sides, per move or per game. They run at the end of a game that is being played, and nowhere else.
//
// A node keeps what both sides had left when its position arose, so that taking a move back gives its time back.

import { isOver, otherSide } from "./players.js";

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

/** Clocks for the game in `store`; `flagged(side)` is told whose time has run out. */
export const createClock = (store, flagged) => {
  const { state } = store;
  let since = Date.now();
  let tip = null;
  let timer = null;

  const form = () => (state.tree.live ? parseClock(state.settings.clock) : null);
  const runs = () => form() !== null && state.node.children.length === 0 && !isOver(state) && !state.paused &&
    (state.mode === "play" || state.mode === "exercise");

  /** What both sides had left at a node. */
  const before = (node, { kind, base }) => (kind === "move" ? { first: base, second: base } : node.clocks ?? { first: base, second: base });

  const left = (side) => {
    const clock = form();
    if (!clock) return null;
    const spent = runs() && state.node.position.to_move === side ? Date.now() - since : 0;
    return before(state.node, clock)[side] - spent;
  };

  const show = () => {
    store.set({ clocks: form() && { first: left("first"), second: left("second") } });
  };

  const tick = () => {
    show();
    if (!runs()) return;
    const side = state.node.position.to_move;
    if (left(side) <= 0) flagged(side);
  };

  return {
    /** A position came on the board; `how` says whether by a move that was made now. */
    moved: (node, how) => {
      const clock = form();
      if (clock && (how === "play" || how === "engine") && !node.clocks) {
        const mover = otherSide(node.position.to_move);
        const had = before(node.parent, clock);
        const spent = Date.now() - since;
        node.clocks = { ...had, [mover]: Math.max(0, had[mover] - spent) + clock.increment };
      }
      // A look at an earlier position stops no clock.
      if (node.children.length === 0 && node !== tip) {
        since = Date.now();
        tip = node;
      }
      clearInterval(timer);
      timer = clock ? setInterval(tick, TICK) : null;
      show();
    },
    /** What a search of this side may use, or null without a clock. */
    bank: (side) => {
      const clock = form();
      return clock && { kind: clock.kind, remaining: Math.max(1, left(side)), increment: clock.increment };
    },
    /** Begins the turn anew, after a pause. */
    resume: () => { since = Date.now(); },
  };
};
