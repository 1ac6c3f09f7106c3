// Shows errors and other messages in the row below the board.

import { byId } from "./elements.js";

const box = byId("trouble");
let timer;

export const dismissMessage = () => { box.hidden = true; };

/** Shows a message for 8 seconds. If `action`, {label, run}, is given, a button runs it. */
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
  // On a small screen the row with the message may be out of view.
  box.parentNode.scrollIntoView({ block: "nearest" });
  clearTimeout(timer);
  timer = setTimeout(dismissMessage, 8000);
};

export const showError = (error) => notify(error.message);

/** Runs an action. If it fails and was not aborted, shows the error and calls `otherwise`. */
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

export const onClick = (id, action) => byId(id).addEventListener("click", (event) => attempt(() => action(event)));
