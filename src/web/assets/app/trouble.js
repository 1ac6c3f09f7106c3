// Trouble: a message that waits to be seen, over the page so that nothing moves.

import { words } from "./words.js";

const box = document.getElementById("trouble");
let timer;

export const trouble = (error) => {
  box.textContent = error instanceof TypeError ? words().offline : error.message;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { box.hidden = true; }, 8000);
};

/** Does something, or says why it cannot be done and does something else; what was broken off is no trouble. */
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
