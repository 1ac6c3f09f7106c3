// Sends questions to the engine: over HTTP to `quiver serve`, or to WebAssembly in workers, as the
// `data-backend` attribute of the page says. Questions and answers are the same for both.

import { words } from "./words.js";

const { ask } = await (document.body.dataset.backend === "worker" ? import("./workers.js") : import("./http.js"));

/** Asks a question and calls `hear` with each answer. Throws the error that an answer contains. */
const askAll = (name, question, signal, hear) => ask(name, question, signal, (answer) => {
  if (answer.error) throw new Error(answer.error);
  hear(answer);
});

const askOnce = async (name, question, signal) => {
  /** @type {any} */
  let only;
  await askAll(name, question, signal, (answer) => { only = answer; });
  return only;
};

/** Asks for the levels, the exercises, the start positions, and a new game. */
export const askCatalogue = () => askOnce("catalogue", {});

/** Asks for a game by its `text`, by the `bytes` of a file, or by a `game` of start position and
 * moves. If the text contains several games, the answer has their labels in `games`. */
export const askGame = (question) => askOnce("game", question);

/** Asks for a game as the text of a file, in the format `form`: sgf, log, moves or fen. */
export const askText = (question) => askOnce("save", question);

/** Asks for a verdict on each move, in `plies`, and a summary of each side, in `sides`. */
export const askReview = (points) => askOnce("review", { points });

/** Asks for the move that a level of the engine plays in a position. */
export const askLevel = (question, signal) => askOnce("move", question, signal);

/** Searches a position and calls `hear` with each answer, until the signal aborts the search. */
export const search = (query, signal, hear) => askAll("analyze", { id: "page", ...query }, signal, (answer) => {
  // The backend has ended the search without a result.
  if (answer.noResults) throw new Error(words().searchEnded);
  hear(answer);
});
