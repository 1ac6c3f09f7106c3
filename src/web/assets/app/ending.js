// Shows the result of a game, an exercise or a list of tasks over the board, with further actions.

import { at } from "./elements.js";
import { resultText } from "./ends.js";
import { ownSide } from "./players.js";
import { soundOfEnd } from "./sound.js";
import { dismiss, onClick } from "./trouble.js";
import { words } from "./words.js";

export const createEnding = (store) => {
  const { state } = store;

  store.view(["ending", "language"], () => {
    const { ending, tree: { goal } } = state;
    at("ending").hidden = !ending;
    if (!ending) return;
    const all = words();
    const kind = ending.text ? "tasks" : goal ? "exercise" : "game";
    for (const button of at("ending").querySelectorAll("[data-for]")) button.hidden = !button.dataset.for.split(" ").includes(kind);
    if (kind === "tasks") {
      at("ending-title").textContent = ending.title();
      at("ending-text").textContent = ending.text();
      return;
    }
    const { title, reason } = resultText(ending, ownSide(state));
    const { winner, left } = ending;
    at("ending-title").textContent = goal ? (winner === goal ? all.solved : all.unsolved) : title;
    at("ending-text").textContent = left > 0 ? `${reason} ${all.movesLeft(all.player[winner], left)}` : reason;
    at("rematch").textContent = goal ? all.again : all.rematch;
    at("rematch").classList.toggle("primary", winner !== goal);
    at("next-exercise").classList.toggle("primary", winner === goal);
  });

  store.on("ended", (ending) => {
    dismiss();
    scrollTo(0, 0);
    store.set({ ending });
    if (state.settings.sound) soundOfEnd();
  });

  // These buttons press the button for the same action elsewhere on the page.
  for (const [id, other] of [["review", "review"], ["new", "new"], ["save", "open-save"]]) onClick(`ending-${id}`, () => at(other).click());
  for (const id of ["ending-close", "ending-review"]) onClick(id, () => store.set({ ending: null }));
};
