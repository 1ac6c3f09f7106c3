// Steps through a game on every page, by buttons, keys and clicks on a graph.

import { byId, targetOf } from "./elements.js";

/** The step buttons by the keys that press them. */
const STEP_BUTTONS = { Home: "home", ArrowLeft: "back", ArrowRight: "next", End: "end" };

/** The time between two plies of automatic play, in milliseconds. */
const PLY_MS = 700;

/** Presses the button or calls the function that `keys` has for a key, unless the focused field
 * needs the key. */
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

/** Calls `seek` with the ply at which the user clicks or drags in the graph `box`. */
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

/** Disables the step buttons backward at the start and forward at the end of a game. */
export const showEnds = (isStart, isEnd) => {
  for (const id of ["home", "back"]) byId(id).disabled = isStart;
  for (const id of ["next", "end"]) byId(id).disabled = isEnd;
};

/** Connects the buttons that step through a game of `last()` plies and play it automatically.
 * `show(ply)` must show a position. Returns a function that goes to a ply. */
export const createLine = (last, show) => {
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
    }, PLY_MS);
    byId("play").setAttribute("aria-pressed", "true");
  };

  const actions = { play, home: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), end: () => go(last()) };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  listenToKeys({ " ": "play" });
  return go;
};
