// Runs the engine's searches: to find the engine's move, to analyse, or to give hints and advice.

import { bestOf, endOf, keepAnalysis, movesTo } from "./tree.js";
import { engineToMove, isOver, parsePlayer } from "./players.js";
import { askLevelMove, search } from "./backend.js";
import { attempt, onClick, showError } from "./messages.js";

/** The time in seconds between two reports. Each report has the current result of a search. */
const REPORT_SECONDS = 0.1;

/** The least time in milliseconds before a player "Level N" moves. With this delay users can follow
 * the game. */
const LEVEL_DELAY_MS = 450;

/** The number of playouts that a position's search needs before hints and advice may use it. */
export const ADVICE_PLAYOUTS = 1500;

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

  /** Stops the current search and runs the function `task`, which searches. `purpose` is "play" (to
   * find the engine's move), "analyse", or "consult" (for hints and advice). For "play",
   * `options.player` names the engine, and `options.isMoveNow` is true if the user has pressed
   * "Move now". */
  const during = async (purpose, task, options = {}) => {
    stop();
    const mine = { purpose, ...options, node: state.node, best: null, abort: new AbortController() };
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
    if (state.analysing) mine.node.isRequested = true;
    mine.best = bestOf(answer);
    store.touch("analysis");
  };

  /** Returns the time limits of a search for a move of `side`, from the game's clock. If the game
   * has no clock, the limit is `seconds`. */
  const limits = (seconds, side) => {
    const time = clock.timeControl(side);
    if (time?.kind === "game") return { remaining: time.remaining / 1000, increment: time.increment / 1000 };
    return { overrideSettings: { maxTime: time ? time.remaining / 1000 : seconds } };
  };

  const think = async (mine, player) => {
    const { node } = mine;
    if (player.kind === "level") {
      const played = { position: state.tree.start, moves: movesTo(node) };
      const request = { game: played, level: player.value, seed: Math.floor(Math.random() * 2 ** 50) };
      const [answer] = await Promise.all([askLevelMove(request, mine.abort.signal), wait(LEVEL_DELAY_MS, mine.abort.signal)]);
      return answer.move;
    }
    // A move on request takes no time from the clock of a user.
    const effort = mine.isMoveNow ? { overrideSettings: { maxTime: player.value || 1 } } : limits(player.value || 1, node.position.to_move);
    await search(query(node, { reportDuringSearchEvery: REPORT_SECONDS, ...effort }), mine.abort.signal, hear(mine));
    // The engine resigns a proven loss, except in an exercise or if the user pressed "Move now".
    if (!mine.isMoveNow && !state.tree.goal &&
      node.analysis?.proven && node.analysis.rootInfo.winrate === 0) {
      store.emit("lost", node.position.to_move, "resignation");
      return null;
    }
    return mine.best;
  };

  const play = async (player, options) => {
    const { node } = state;
    const move = await during("play", (mine) => think(mine, parsePlayer(player)), { player, ...options });
    if (move) await attempt(() => game.play(move, "engine", false, node));
  };

  const analyse = () => during("analyse", (mine) =>
    search(query(mine.node, { reportDuringSearchEvery: REPORT_SECONDS }), mine.abort.signal, hear(mine)));

  /** Starts the search that the state of the page requires now, if any: for the engine's move, or
   * for the analysis. Stops a search that is no longer required. */
  const proceed = () => {
    const { turn } = state.tree;
    const due = engineToMove(state);
    const isHere = due && state.node === turn.node;
    const isDue = ({ purpose, node, player, isMoveNow }) => {
      // A search for the engine's move continues while the user views another position.
      if (purpose === "play" && isMoveNow) return state.mode === "play" && (node === turn.node || node === state.node);
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

  /** Handles the button "Move now". A running search for a move ends, and its best move is played.
   * Without such a search, the engine searches and plays a move at the end of the current line. */
  const moveNow = async () => {
    if (isOver(state) || state.mode === "setup") return;
    if (current?.purpose === "play") {
      const { best, node } = current;
      stop();
      if (best) await game.play(best, "engine", false, node);
      else await game.seek(node).then(() => play("time:0.05", { isMoveNow: true }));
      return;
    }
    await game.seek(endOf(state.node));
    const player = state.tree.players[state.node.position.to_move];
    play(player === "person" ? "time:1" : player, { isMoveNow: true });
  };

  store.view(["tree", "node", "revision", "mode", "paused", "analysing"], proceed);

  onClick("move-now", moveNow);
  onClick("analyse", () => store.set({ analysing: !state.analysing }));

  return {
    /** Searches the positions of these nodes of one line until each has `ADVICE_PLAYOUTS` visits.
     * Returns true, or null if the search failed or was stopped. */
    consult: async (nodes) => {
      const done = await during("consult", async (mine) => {
        const weak = nodes.filter(({ analysis }) => !(analysis &&
          (analysis.proven || analysis.rootInfo.visits >= ADVICE_PLAYOUTS) && bestOf(analysis)));
        if (weak.length) {
          const deepest = nodes.reduce((a, b) => (b.ply > a.ply ? b : a));
          const request = query(deepest, { analyzeTurns: weak.map(({ ply }) => ply), maxVisits: ADVICE_PLAYOUTS });
          await search(request, mine.abort.signal, (answer) => {
            keepAnalysis(weak.find(({ ply }) => ply === answer.turnNumber), answer);
            store.touch("analysis");
          });
        }
        return true;
      });
      if (done) proceed();
      return done;
    },
  };
};
