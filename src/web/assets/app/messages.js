// Shows errors and other messages in the row below the board.

import { byId } from "./elements.js";

const box = byId("trouble");
let timer;

/** Hides the message. */
export const dismiss = () => { box.hidden = true; };

/** Shows a message for 8 seconds. `action` is {label, run} for a button beside it, if any. */
export const notify = (text, action) => {
  box.querySelector("span").textContent = text;
  const button = box.querySelector("button");
  button.hidden = !action;
  button.textContent = action?.label ?? "";
  button.onclick = () => {
    box.hidden = true;
    action.run();
  };
  box.hidden = false;
  // On a phone the row may be scrolled out of view.
  box.parentNode.scrollIntoView({ block: "nearest" });
  clearTimeout(timer);
  timer = setTimeout(dismiss, 8000);
};

export const showError = (error) => notify(error.message);

/** Awaits an action. Shows its error and calls `otherwise`, unless the action was aborted. */
export const attempt = async (action, otherwise) => {
  try {
    return await action();
  } catch (error) {
    if (error.name !== "AbortError") {
      showError(error);
      otherwise?.();
    }
    return undefined;
  }
};

/** Calls `action(event)` when the element with this id is clicked, and shows its error. */
export const onClick = (id, action) => byId(id).addEventListener("click", (event) => attempt(() => action(event)));
