// Searches every position of the game, for the graph and for what each move cost.

import { search } from "./server.js";
import { attempt } from "./trouble.js";
import { words } from "./words.js";

const PLAYOUTS = 1500;

/** A review of `game` at the press of a button; `learned(ply)` is told of every position that more is known about. */
export const createReview = (button, game, learned) => {
  let running = null;

  const show = (done = 0) => {
    const all = words();
    button.textContent = running ? `${all.reviewStop} (${all.reviewing(done, game.moves.length + 1)})` : all.review;
  };

  const begin = async () => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const seen = new Set();
    const { moves } = game;
    const query = { position: game.start, moves, turns: "all", playouts: PLAYOUTS, reuse: true };
    show();
    await attempt(() => search(query, mine.signal, (answer) => {
      // Another game has come, or another end of this one.
      if (game.moves !== moves) return mine.abort();
      seen.add(answer.turn);
      game.learn(answer.turn, answer);
      show(seen.size);
      learned(answer.turn);
    }));
    if (running !== mine) return;
    running = null;
    show();
  };

  button.addEventListener("click", () => (running ? running.abort() : begin()));
  return { begin, show };
};
