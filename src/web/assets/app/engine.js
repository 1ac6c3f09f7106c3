// Runs the engine's searches: for its moves, for the analysis, and for hints and advice.

import { bestOf, endOf, keepAnalysis, movesTo } from "./tree.js";
import { engineDue, isOver, parsePlayer } from "./players.js";
import { askLevel, search } from "./backend.js";
import { attempt, onClick, showError } from "./messages.js";

/** The time between two answers of a search, in seconds. */
const REPORT_SECONDS = 0.1;

/** The least time until a level answers, in milliseconds, so that users can follow. */
const LEVEL_DELAY_MS = 450;

/** The number of playouts after which a hint or advice may use the value of a position. */
export const ENOUGH_PLAYOUTS = 1500;

const wait = (time, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, time);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(new DOMException("", "AbortError"));
  });
});

export const createEngine = (store, game, clock) => {
  const { state } = store;
  let current = null;

  const stop = () => {
    current?.abort.abort();
    current = null;
    store.set({ search: null });
  };

  /** Runs `task(search)` as the only search, for the purpose "play", "analyse" or "consult". An
   * error is shown as a message. `how` has the player that moves, and `asked` if the user
   * requested the move. */
  const during = async (purpose, task, how = {}) => {
    stop();
    const mine = { purpose, ...how, node: state.node, best: null, abort: new AbortController() };
    current = mine;
    store.set({ search: mine });
    let done = null;
    try {
      done = await task(mine);
    } catch (error) {
      if (error.name !== "AbortError") {
        if (current === mine) store.set({ analysing: false, ...(purpose === "play" && { paused: true }) });
        showError(error);
      }
    }
    if (current !== mine) return null;
    current = null;
    store.set({ search: null });
    return done;
  };

  const query = (node, limits) => ({
    position: state.tree.start, moves: movesTo(node), reuse: true, priority: 1, ...limits,
  });

  const hear = (mine) => (answer) => {
    keepAnalysis(mine.node, answer);
    if (state.analysing) mine.node.asked = true;
    mine.best = bestOf(answer);
    store.touch("known");
  };

  /** Returns the time limits of a full-strength search from the clock, or `seconds` without one. */
  const limits = (seconds, side) => {
    const bank = clock.bank(side);
    if (bank?.kind === "game") return { remaining: bank.remaining / 1000, increment: bank.increment / 1000 };
    return { time: bank ? bank.remaining / 1000 : seconds };
  };

  const think = async (mine, player) => {
    const { node } = mine;
    if (player.kind === "level") {
      const played = { position: state.tree.start, moves: movesTo(node) };
      const asked = { game: played, level: player.value, seed: Math.floor(Math.random() * 2 ** 50) };
      const [answer] = await Promise.all([askLevel(asked, mine.abort.signal), wait(LEVEL_DELAY_MS, mine.abort.signal)]);
      return answer.move;
    }
    const effort = limits(player.value || 1, node.position.to_move);
    await search(query(node, { reportDuringSearchEvery: REPORT_SECONDS, ...effort }), mine.abort.signal, hear(mine));
    // The engine resigns when its loss is proven, except in an exercise.
    if (!mine.asked && !state.tree.goal && node.known?.proven && node.known.rootInfo.winrate === 0) {
      store.emit("lost", node.position.to_move, "resignation");
      return null;
    }
    return mine.best;
  };

  /** Plays the move of an engine player, such as "level:3", in the position on the board. */
  const play = async (player, how) => {
    const { node } = state;
    const move = await during("play", (mine) => think(mine, parsePlayer(player)), { player, ...how });
    if (move) await attempt(() => game.play(move, "engine", false, node));
  };

  const analyse = () => during("analyse", (mine) =>
    search(query(mine.node, { reportDuringSearchEvery: REPORT_SECONDS }), mine.abort.signal, hear(mine)));

  /** Starts the search that is due now, if any. A search in progress goes on if it is still due. */
  const proceed = () => {
    const { turn } = state.tree;
    const due = engineDue(state);
    const isHere = due && state.node === turn.node;
    const isDue = ({ purpose, node, player, asked }) => {
      // The engine goes on thinking while the user views another position.
      if (purpose === "play" && asked) return state.mode === "play" && (node === turn.node || node === state.node);
      if (purpose === "play") return node === turn.node && player === due;
      if (node !== state.node || isHere) return false;
      return purpose === "consult" || (state.analysing && !isOver(state));
    };
    if (current && isDue(current)) return;
    stop();
    if (state.mode === "setup") return;
    if (isHere) play(due);
    else if (state.analysing && !isOver(state)) analyse();
  };

  /** Plays the engine's move at once: the best move so far, if a search is in progress. */
  const moveNow = async () => {
    if (isOver(state) || state.mode === "setup") return;
    if (current?.purpose === "play") {
      const { best, node } = current;
      stop();
      if (best) await game.play(best, "engine", false, node);
      else await game.seek(node).then(() => play("time:0.05", { asked: true }));
      return;
    }
    await game.seek(endOf(state.node));
    const player = state.tree.players[state.node.position.to_move];
    play(player === "person" ? "time:1" : player, { asked: true });
  };

  store.view(["tree", "node", "revision", "mode", "paused", "analysing"], proceed);

  onClick("move-now", moveNow);
  onClick("analyse", () => store.set({ analysing: !state.analysing }));

  return {
    /** Searches nodes of a line until each has enough visits. Returns true, or null on failure. */
    consult: async (nodes) => {
      const done = await during("consult", async (mine) => {
        const weak = nodes.filter(({ known }) =>
          !(known && (known.proven || known.rootInfo.visits >= ENOUGH_PLAYOUTS) && bestOf(known)));
        if (weak.length) {
          const deepest = nodes.reduce((a, b) => (b.ply > a.ply ? b : a));
          const asked = query(deepest, { analyzeTurns: weak.map(({ ply }) => ply), maxVisits: ENOUGH_PLAYOUTS });
          await search(asked, mine.abort.signal, (answer) => {
            keepAnalysis(weak.find(({ ply }) => ply === answer.turnNumber), answer);
            store.touch("known");
          });
        }
        return true;
      });
      if (done) proceed();
      return done;
    },
  };
};
