// Endgames to win: positions whose winner the solver has proven. The engine defends by the longest
// resistance.

import { notify } from "./trouble.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);
const SOLVED = "quiver.solved";

const solved = () => {
  try { return new Set(JSON.parse(localStorage.getItem(SOLVED)) || []); } catch { return new Set(); }
};

/** The list of `exercises`; `begin(exercise)` puts one on the board. */
export const createExercises = (store, exercises, begin) => {
  const { state } = store;
  let current = -1;

  const start = (index) => {
    current = index;
    at("exercises").close();
    begin(exercises[index]);
  };

  const list = () => {
    const all = words();
    const done = solved();
    at("exercise-list").replaceChildren(...exercises.map(({ position, moves, wins }, index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      const side = position.split(" ")[1] === "w" ? "first" : "second";
      button.textContent = `${done.has(position) ? "✓ " : ""}${all.exercise(index + 1, all.player[side], wins, moves)}`;
      button.addEventListener("click", () => start(index));
      item.append(button);
      return item;
    }));
  };

  at("open-exercises").addEventListener("click", () => {
    list();
    at("exercises").showModal();
  });
  at("next-exercise").addEventListener("click", () => start((current + 1) % exercises.length));

  return {
    again: () => start(Math.max(current, exercises.findIndex(({ position }) => position === state.tree.start))),
    /** Keeps that an exercise was won. */
    won: (position) => {
      try { localStorage.setItem(SOLVED, JSON.stringify([...solved().add(position)])); } catch { /* It is not kept, then. */ }
    },
    /** Looks at an answer of the engine, which plays the side that should lose. */
    watch: (answer) => {
      const { goal } = state.tree;
      if (goal && answer?.proven && answer.to_move !== goal && answer.value === 1) {
        notify(words().winGone, { label: words().undo, run: () => at("undo").click() });
      }
    },
  };
};
