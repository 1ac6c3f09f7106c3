// Reviews the line on the board: every position is searched, for the graph and for what each move
// gave away.

import { search } from "./server.js";
import { endOf, learn, lineThrough, movesTo } from "./tree.js";
import { attempt } from "./trouble.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

/** Playouts a position. */
export const DEPTHS = [400, 1500, 10_000];

export const createReview = (store) => {
  const { state } = store;
  let running = null;

  const begin = async () => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const { tree } = state;
    const line = lineThrough(state.node);
    const seen = new Set();
    const playouts = DEPTHS[state.settings.depth];
    store.set({ reviewing: { done: 0, all: line.length } });
    const query = { position: tree.start, moves: movesTo(endOf(state.node)), turns: "all", playouts, reuse: true };
    await attempt(() => search(query, mine.signal, (answer) => {
      if (state.tree !== tree) return mine.abort();
      seen.add(answer.turn);
      learn(line[answer.turn], answer);
      store.set({ reviewing: { done: seen.size, all: line.length } });
      return store.touch("known");
    }));
    if (running !== mine) return;
    running = null;
    store.set({ reviewing: null });
  };

  store.view(["reviewing", "language", "settings"], () => {
    const all = words();
    const { reviewing } = state;
    at("review").textContent = reviewing ? `${all.reviewStop} (${all.reviewing(reviewing.done, reviewing.all)})` : all.review;
    at("depth").value = state.settings.depth;
  });
  at("review").addEventListener("click", () => (running ? running.abort() : begin()));
  at("depth").addEventListener("change", () => store.configure({ depth: Number(at("depth").value) }));

  return { begin, stop: () => running?.abort() };
};
