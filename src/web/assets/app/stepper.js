// Lets the user step through a game by buttons, by keys and by clicks on a graph, on all pages.

import { byId, targetOf } from "./elements.js";

/** The keys that step through a game, each with the id of the button that it presses. */
const STEP_BUTTONS = { Home: "home", ArrowLeft: "back", ArrowRight: "next", End: "end" };

/** The time between two plies of automatic play, in milliseconds. */
const PLY_MS = 700;

/** Connects keys with actions. `keys` maps a key to a function, or to the id of a button, which the
 * key then presses. Ignores keys while a dialog is open, and keys that a text field needs. */
export const listenToKeys = (keys) => document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (targetOf(event).closest("select, textarea, input:not([type=checkbox], [type=radio])")) return;
  if (event.key === " " && targetOf(event).closest("button, input, pre")) return;
  const all = { ...STEP_BUTTONS, ...keys };
  const action = all[event.key] ?? all[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  if (typeof action === "function") action();
  else if (!byId(action).closest("[inert]")) byId(action).click();
});

/** Calls `seek` with the ply to which the user points by a click or drag in the graph `box`. */
export const listenToPointer = (box, plies, seek) => {
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

export const updateStepButtons = (isStart, isEnd) => {
  for (const id of ["home", "back"]) byId(id).disabled = isStart;
  for (const id of ["next", "end"]) byId(id).disabled = isEnd;
};

/** Connects the buttons that step through a game or play it automatically. `last()` is the last
 * ply. `show(ply)` must show the position after a ply. Returns a function that goes to a ply. */
export const createStepper = (last, show) => {
  let ply = 0;
  let timer = null;

  const pause = () => {
    clearInterval(timer);
    timer = null;
    byId("play").setAttribute("aria-pressed", "false");
  };
  const turn = (wanted) => {
    ply = Math.min(Math.max(wanted, 0), last());
    show(ply);
    updateStepButtons(ply === 0, ply === last());
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
    }, PLY_MS);
    byId("play").setAttribute("aria-pressed", "true");
  };

  const actions = { play, home: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), end: () => go(last()) };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  listenToKeys({ " ": "play" });
  return go;
};
