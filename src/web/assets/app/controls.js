// Connects the buttons and keys that step through the game, and closes dialogs.

import { byId, selectAll, targetOf } from "./elements.js";
import { listenToKeys, updateStepButtons } from "./stepper.js";
import { onClick } from "./messages.js";

export const createControls = (store, game, board) => {
  const { state } = store;

  onClick("home", game.toStart);
  onClick("back", game.back);
  onClick("next", game.forward);
  onClick("end", game.toEnd);
  store.view(["tree", "node", "revision"], () => {
    const [isStart, isEnd] = [!state.node.parent, state.node.children.length === 0];
    updateStepButtons(isStart, isEnd);
    byId("undo").disabled = isStart;
    byId("redo").disabled = isEnd;
    document.body.classList.toggle("begun", state.tree.root.children.length > 0);
  });

  for (const dialog of selectAll("dialog")) {
    dialog.addEventListener("click", ({ target, detail, clientX, clientY }) => {
      const { left, top, right, bottom } = dialog.getBoundingClientRect();
      const isOutside = clientX < left || clientX > right || clientY < top || clientY > bottom;
      if ("close" in target.dataset || (target === dialog && detail > 0 && isOutside)) dialog.close();
    });
  }
  // Removes the focus from a clicked button. Otherwise the space key, which starts the analysis,
  // would press the button again.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) targetOf(event).closest("button")?.blur();
  });

  const cancel = () => {
    board.cancel();
    store.set({ hint: null, ending: null });
  };
  listenToKeys({ f: "flip", u: "undo", r: "redo", h: "hint", " ": "analyse", "?": "open-help", Escape: cancel });
};
