// Messages in the row below the board, so that nothing moves: what went wrong, and what can be undone.

import { at } from "./elements.js";

const box = at("trouble");
let timer;

/** Takes the message away: what it is about is over. */
export const dismiss = () => { box.hidden = true; };

/** Shows a message; `action` is {label, run} for a button beside it. */
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
  // On a phone the row may be out of sight.
  box.parentNode.scrollIntoView({ block: "nearest" });
  clearTimeout(timer);
  timer = setTimeout(dismiss, 8000);
};

export const trouble = (error) => notify(error.message);

/** Does something, or says why it cannot be done and does something else. What was broken off is no trouble. */
export const attempt = async (action, otherwise) => {
  try {
    return await action();
  } catch (error) {
    if (error.name !== "AbortError") {
      trouble(error);
      otherwise?.();
    }
    return undefined;
  }
};

/** Calls an action with its event when a button is pressed. */
export const onClick = (id, action) => at(id).addEventListener("click", (event) => attempt(() => action(event)));
