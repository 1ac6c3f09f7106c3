// Buttons and keys: each calls an action.

import { at, each, targetOf } from "./elements.js";
import { createStepper } from "./stepper.js";

/** How many moves of the engine a digit can pin. */
const PINS = 6;

/** Lets buttons call the actions of their ids, and keys those in `keys`. A digit pins a move of the engine. */
export const createControls = (store, { home, back, next, end, ...actions }, keys) => {
  const { state } = store;
  for (const [id, action] of Object.entries(actions)) at(id).addEventListener("click", action);
  for (const button of each("dialog [data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
  for (const dialog of each("dialog")) {
    dialog.addEventListener("click", ({ target, detail, clientX, clientY }) => {
      const { left, top, right, bottom } = dialog.getBoundingClientRect();
      const isOutside = clientX < left || clientX > right || clientY < top || clientY > bottom;
      if (target === dialog && detail > 0 && isOutside) dialog.close();
    });
  }

  // A button that was clicked is done with: space is for analysis then.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) targetOf(event).closest("button")?.blur();
  });

  /** Pins the engine's move of this number, or unpins it. */
  const pin = (index) => () => store.set({ pinned: state.pinned === index ? null : index });
  const pins = Array.from({ length: PINS }, (_, index) => [index + 1, pin(index)]);
  createStepper({ home, back, next, end }, { ...keys, ...Object.fromEntries(pins) });
};
