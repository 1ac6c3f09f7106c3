// What the server is asked. An error is a message for people, in the server's words.

const send = async (path, query, signal) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(query),
    signal,
  });
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error || `${response.status} ${response.statusText}`);
};

/** A game, by its text or by where it begins and its moves. */
export const askGame = async (query) => (await send("/api/game", query)).json();

/** The game as a Botzone log. */
export const askLog = async (query) => (await send("/api/log", query)).json();

/** Searches; `hear` is told every answer as it comes. Ends with the signal. */
export const search = async (query, signal, hear) => {
  const response = await send("/api/analyze", { id: "page", ...query }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) if (!signal.aborted) hear(JSON.parse(line));
  }
};
