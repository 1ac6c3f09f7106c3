// Sends questions to the engine. The page's `data-backend` attribute decides whether the engine is
// the server `quiver serve`, reached over HTTP, or WebAssembly in workers of the browser.

import { words } from "./words.js";

const { ask } = await (document.body.dataset.backend === "worker" ? import("./workers.js") : import("./http.js"));

/** Sends a question to the engine and calls `hear` with each answer. Throws an error if an answer
 * has the field `error`. */
const streamAnswers = (name, question, signal, hear) => ask(name, question, signal, (answer) => {
  if (answer.error) throw new Error(answer.error);
  hear(answer);
});

const askOnce = async (name, question, signal) => {
  /** The engine's answer to the question. @type {any} */
  let only;
  await streamAnswers(name, question, signal, (answer) => { only = answer; });
  return only;
};

/** Asks the engine for its levels, its exercises, the start positions, and a new game. */
export const askCatalogue = () => askOnce("catalogue", {});

/** Asks the engine to read a game from a `text`, from the `bytes` of a file, or from a `game` with
 * a start position and moves. For several games, the answer has their labels in `games`. */
export const askGame = (question) => askOnce("game", question);

/** Asks the engine to write a game as text in the format `form`: sgf, log, moves or fen. */
export const askGameText = (question) => askOnce("save", question);

/** Asks the engine to judge the moves of a line. `points` has an analysis of each position of the
 * line. The answer has verdicts on the moves in `plies`, and a summary for each side in `sides`. */
export const askReview = (points) => askOnce("review", { points });

/** Asks for the move that the engine plays in a position at one of its levels. */
export const askLevelMove = (question, signal) => askOnce("move", question, signal);

/** Searches a position and calls `hear` with each answer, until the signal aborts the search. */
export const search = (query, signal, hear) => streamAnswers("analyze", { id: "page", ...query }, signal, (answer) => {
  if (answer.noResults) throw new Error(words().searchEnded);
  hear(answer);
});
