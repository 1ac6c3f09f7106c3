// What the server is asked. An error is a message for people; `field` names what was wrong in the
// query.

import { words } from "./words.js";

/** The server's answer. An error is `away` if the server cannot be reached. */
const received = (sent) => sent.catch((error) => {
  throw error instanceof TypeError ? Object.assign(new Error(words().offline), { away: true }) : error;
});

const send = async (path, query, signal) => {
  const response = await received(fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(query),
    signal,
  }));
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw Object.assign(new Error(answer.error || `${response.status} ${response.statusText}`), { field: answer.field });
};

const json = async (path, query, signal) => received((await send(path, query, signal)).json());

/** A game, by its `text` or the `bytes` of a file, or as `game`, by where it begins and its moves; `games` lists the labels of a text that holds several. */
export const askGame = (query) => json("/api/game", query);

/** The game as the text of a file: `form` is sgf, log, moves or fen. */
export const askText = (query) => json("/api/save", query);

/** Judges the moves of a line: `plies` in order, `sides` in sum. */
export const askReview = (points) => json("/api/review", { points });

/** The move of a level. */
export const askLevel = (query, signal) => json("/api/move", query, signal);

/** Searches; `hear` is told every answer as it comes. Ends with the signal. */
export const search = async (query, signal, hear) => {
  const response = await send("/api/analyze", { id: "page", ...query }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await received(reader.read());
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) {
      if (signal.aborted) continue;
      const answer = JSON.parse(line);
      // The server gave the search up: there is nothing to learn from it.
      if (answer.noResults) throw new Error(words().searchEnded);
      hear(answer);
    }
  }
};
