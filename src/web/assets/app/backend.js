// What the engine is asked, by the backend that the page names: `quiver serve` over HTTP, or
// WebAssembly in workers. Both take the same questions and give the same answers.

import { words } from "./words.js";

const { ask } = await (document.body.dataset.backend === "worker" ? import("./workers.js") : import("./http.js"));

/** Hears the answers to a question. An error is a message for people. */
const heard = (name, question, signal, hear) => ask(name, question, signal, (answer) => {
  if (answer.error) throw new Error(answer.error);
  hear(answer);
});

const single = async (name, question, signal) => {
  /** @type {any} */
  let only;
  await heard(name, question, signal, (answer) => { only = answer; });
  return only;
};

/** Levels, exercises, start positions, and a game to begin with. */
export const askCatalogue = () => single("catalogue", {});

/** A game, by its `text` or the `bytes` of a file, or as `game`, by where it begins and its moves; `games` lists the labels of a text that holds several. */
export const askGame = (question) => single("game", question);

/** The game as the text of a file: `form` is sgf, log, moves or fen. */
export const askText = (question) => single("save", question);

/** Judges the moves of a line: `plies` in order, `sides` in sum. */
export const askReview = (points) => single("review", { points });

/** The move of a level. */
export const askLevel = (question, signal) => single("move", question, signal);

/** Searches; `hear` is told every answer as it comes. Ends with the signal. */
export const search = (query, signal, hear) => heard("analyze", { id: "page", ...query }, signal, (answer) => {
  // The backend gave the search up: there is nothing to learn from it.
  if (answer.noResults) throw new Error(words().searchEnded);
  hear(answer);
});
