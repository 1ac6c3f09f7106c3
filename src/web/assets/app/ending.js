// The end of a game: the result over the board, and what one does next.

import { ownSide } from "./players.js";
import { soundOfEnd } from "./sound.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

/** The sentence of a result, for the person who plays `own` side, or for one who watches. */
export const resultText = ({ winner, why }, own) => {
  const all = words();
  const title = own ? (winner === own ? all.youWin : all.youLose) : all.sideWins(all.player[winner]);
  const loser = winner === "first" ? "second" : "first";
  return { title, reason: all.endings[why]?.(all.player[loser]) ?? "" };
};

export const createEnding = (store) => {
  const { state } = store;

  store.view(["ending", "language"], () => {
    at("ending").hidden = !state.ending;
    if (!state.ending) return;
    const all = words();
    const { title, reason } = resultText(state.ending, ownSide(state));
    const { winner, left } = state.ending;
    const { goal } = state.tree;
    at("ending-title").textContent = goal ? (winner === goal ? all.solved : all.unsolved) : title;
    at("ending-text").textContent = left > 0 ? `${reason} ${all.movesLeft(all.player[winner], left)}` : reason;
    at("rematch").textContent = goal ? all.again : all.rematch;
    at("next-exercise").hidden = !goal;
  });

  at("ending-close").addEventListener("click", () => store.set({ ending: null }));

  return {
    /** Shows a result. */
    show: (result) => {
      store.set({ ending: result });
      if (state.settings.sound) soundOfEnd();
    },
  };
};
