// Steps through a game, for every page: its buttons, its keys, and a graph that is clicked.

import { at, targetOf } from "./elements.js";

/** The buttons that step, by the keys that do the same. */
const BUTTONS = { Home: "home", ArrowLeft: "back", ArrowRight: "next", End: "end" };

/** The time between two plies of a game that plays by itself, in milliseconds. */
const PACE = 700;

/** Calls what `keys` has for a key, unless the element in focus needs the key itself. */
const listenToKeys = (keys) => document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (targetOf(event).closest("select, textarea, input:not([type=checkbox], [type=radio])")) return;
  if (event.key === " " && targetOf(event).closest("button, input, pre")) return;
  const action = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});

/** Calls `seek` with the ply of a game of `plies()` that is pointed at in the graph `box`. */
export const seekIn = (box, plies, seek) => {
  const point = ({ clientX }) => {
    const { left, width } = box.getBoundingClientRect();
    seek(Math.round(((clientX - left) / width) * plies()));
  };
  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    point(event);
  });
  box.addEventListener("pointermove", (event) => { if (box.hasPointerCapture(event.pointerId)) point(event); });
};

/** Lets the buttons and keys call the actions `home`, `back`, `next` and `end`, and other keys those of `keys`. */
export const createStepper = (actions, keys = {}) => {
  for (const id of Object.values(BUTTONS)) at(id).addEventListener("click", actions[id]);
  listenToKeys({ ...Object.fromEntries(Object.entries(BUTTONS).map(([key, id]) => [key, actions[id]])), ...keys });
};

/** Disables the buttons that lead nowhere. */
export const showEnds = (isStart, isEnd) => {
  for (const id of ["home", "back"]) at(id).disabled = isStart;
  for (const id of ["next", "end"]) at(id).disabled = isEnd;
};

/**
 * Steps through a game of `last()` plies without variations, and plays it by itself. Returns what goes to a ply, which
 * `show(ply)` shows.
 */
export const createLine = (last, show) => {
  let ply = 0;
  let timer = null;

  const pause = () => {
    clearInterval(timer);
    timer = null;
    at("play").setAttribute("aria-pressed", "false");
  };
  const turn = (wanted) => {
    ply = Math.min(Math.max(wanted, 0), last());
    show(ply);
    showEnds(ply === 0, ply === last());
  };
  const go = (wanted) => {
    pause();
    turn(wanted);
  };
  const play = () => {
    if (timer) return pause();
    if (ply === last()) turn(0);
    timer = setInterval(() => {
      turn(ply + 1);
      if (ply === last()) pause();
    }, PACE);
    at("play").setAttribute("aria-pressed", "true");
  };

  at("play").addEventListener("click", play);
  createStepper({ home: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), end: () => go(last()) }, { " ": play });
  return go;
};
