// Shows the result of a game, an exercise or a list of tasks in a box over the board, with buttons
// for what the user can do next.

import { byId } from "./elements.js";
import { resultText } from "./outcome.js";
import { ownSide } from "./players.js";
import { playEndSound } from "./sound.js";
import { dismissMessage, onClick } from "./messages.js";
import { words } from "./words.js";

export const createResultBox = (store) => {
  const { state } = store;

  store.view(["ending", "language"], () => {
    const { ending, tree: { goal } } = state;
    byId("ending").hidden = !ending;
    if (!ending) return;
    const all = words();
    const kind = ending.text ? "tasks" : goal ? "exercise" : "game";
    for (const button of byId("ending").querySelectorAll("[data-for]")) button.hidden = !button.dataset.for.split(" ").includes(kind);
    if (kind === "tasks") {
      byId("ending-title").textContent = ending.title();
      byId("ending-text").textContent = ending.text();
      return;
    }
    const { title, reason } = resultText(ending, ownSide(state));
    const { winner, left } = ending;
    byId("ending-title").textContent = goal ? (winner === goal ? all.solved : all.unsolved) : title;
    byId("ending-text").textContent = left > 0 ? `${reason} ${all.movesLeft(all.player[winner], left)}` : reason;
    byId("rematch").textContent = goal ? all.again : all.rematch;
    byId("rematch").classList.toggle("primary", winner !== goal);
    byId("next-exercise").classList.toggle("primary", winner === goal);
  });

  store.on("ended", (ending) => {
    dismissMessage();
    scrollTo(0, 0);
    store.set({ ending });
    if (state.settings.sound) playEndSound();
  });

  // Three buttons of the box click the buttons of the page for the same actions.
  for (const [id, other] of [["review", "review"], ["new", "new"], ["save", "open-save"]]) onClick(`ending-${id}`, () => byId(other).click());
  for (const id of ["ending-close", "ending-review"]) onClick(id, () => store.set({ ending: null }));
};
