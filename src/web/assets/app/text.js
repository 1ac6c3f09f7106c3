// The game as text: pasted in any form that the server reads, and copied out.

import { askLog } from "./server.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

/** The dialog; `load(text)` takes what was pasted, and fails with what is wrong with it. */
export const createText = (game, load) => {
  const content = at("text-content");
  const say = (message) => { at("text-error").textContent = message; };

  const paste = async () => {
    say("");
    try {
      await load(content.value);
      at("text").close();
    } catch (error) {
      say(error.message);
    }
  };

  const copy = async (write) => {
    say("");
    try {
      content.value = await write();
    } catch (error) {
      return say(error.message);
    }
    content.select();
    try {
      await navigator.clipboard.writeText(content.value);
      say(words().copied);
    } catch {
      // What is selected can be copied by hand.
    }
  };

  for (const [id, action] of Object.entries({
    "open-text": () => {
      say("");
      at("text").showModal();
    },
    "text-load": paste,
    "copy-fen": () => copy(() => game.here().fen),
    "copy-moves": () => copy(() => game.moves.join(" ")),
    "copy-log": () => copy(async () => JSON.stringify(await askLog({ position: game.start, moves: game.moves }))),
  })) {
    at(id).addEventListener("click", action);
  }
};
