// Sends the page's questions over HTTP to the server `quiver serve`.

import { words } from "./words.js";

/** Awaits a response. If the server cannot be reached, throws an error with `away: true`. */
const withOfflineError = (sent) => sent.catch((error) => {
  throw error instanceof TypeError ? Object.assign(new Error(words().offline), { away: true }) : error;
});

/** Sends a question to the server. Calls `hear` with each answer. An answer is a line of JSON. */
export const ask = async (name, question, signal, hear) => {
  const response = await withOfflineError(fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal,
  }));
  if (!response.ok) {
    const refusal = await response.json().catch(() => null);
    return hear(refusal ?? { error: `${response.status} ${response.statusText}` });
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "", done = false; !done;) {
    const part = await withOfflineError(reader.read());
    done = part.done;
    const lines = (text + (part.value ?? "")).split("\n");
    text = done ? "" : lines.pop();
    for (const line of lines) if (line && !signal?.aborted) hear(JSON.parse(line));
  }
};
