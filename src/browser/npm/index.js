// The engine Quiver for the Game of the Amazons. Every call blocks until the engine has answered,
// so a program that must not block loads the engine in a worker.

import { cellsOf, nameOf, reachableSquares } from "./rules.js";

const WASM = new URL("quiver.wasm", import.meta.url);

const bytesOfEngine = async () => {
  if (WASM.protocol === "file:") return (await import("node:fs/promises")).readFile(WASM);
  const response = await fetch(WASM);
  if (!response.ok) throw new Error(`${WASM}: got status ${response.status}, expected the engine`);
  return response.arrayBuffer();
};

export const load = async (source) => {
  let engine = null;
  let hear = null;
  let failure = null;
  const bytes = (start, length) => new Uint8Array(engine.memory.buffer, start, length);
  const answer = (start, length) => {
    try {
      return hear(JSON.parse(new TextDecoder().decode(bytes(start, length)))) === false ? 0 : 1;
    } catch (error) {
      // The engine ends the search when `answer` returns 0. Then `ask` throws `error`.
      failure = { error };
      return 0;
    }
  };
  const imports = { quiver: { milliseconds: () => performance.now(), answer } };
  const loaded = await WebAssembly.instantiate(source ?? (await bytesOfEngine()), imports);
  engine = (loaded.instance ?? loaded).exports;

  const ask = (name, question, listener) => {
    if (hear) throw new Error("got a question while the engine answers another one: expected none");
    const text = new TextEncoder().encode(JSON.stringify(question));
    bytes(engine.reserve(text.length), text.length).set(text);
    let last = null;
    failure = null;
    hear = (got) => {
      if (got.error) throw Object.assign(new Error(got.error), { field: got.field });
      last = got;
      return listener?.(got);
    };
    try {
      engine[name]();
    } finally {
      hear = null;
    }
    if (failure) throw failure.error;
    return last;
  };

  return {
    analyze: (query, listener) => ask("analyze", { id: "a", ...query }, listener),
    game: (question) => ask("game", question),
    save: (question) => ask("save", question),
    move: (question) => ask("move", question),
  };
};

export const legalMoves = (fen) => {
  const cells = /^[Qq*\d]+(\/[Qq*\d]+)* [wb]( |$)/.test(fen) ? cellsOf(fen) : [];
  if (!cells.length || cells.some((row) => row.length !== cells[0].length)) {
    throw new Error(`'${fen}': expected a FEN with rows of one length and the side to move`);
  }
  const own = fen.split(" ")[1] === "b" ? "q" : "Q";
  const amazons = cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === own ? [nameOf([x, y])] : [])));
  const arrows = (from, to) => reachableSquares(cells, to, from).map((arrow) => `${from}-${to}/${arrow}`);
  return amazons.flatMap((from) => reachableSquares(cells, from).flatMap((to) => arrows(from, to)));
};
