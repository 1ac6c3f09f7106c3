// Reviews the current line of the game: the engine searches every position, and then returns the
// winning chance that each move lost. A bad move also gets a verdict, such as "mistake".

import { percent } from "./panel.js";
import { SIDES, ownSide } from "./players.js";
import { askReview, search } from "./backend.js";
import { byId, element } from "./elements.js";
import { bestOf, endOf, isMistake, keepAnalysis, lineThrough, movesTo } from "./tree.js";
import { attempt, onClick } from "./messages.js";
import { words } from "./words.js";

/** The number of playouts for each position in a quick, a normal and a deep review. */
export const REVIEW_PLAYOUTS = [400, 1500, 10_000];

/** The verdicts of a review from mild to severe, with their signs in the list of moves. */
export const VERDICT_SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const reviewPoint = ({ move, analysis }) => {
  const { currentPlayer, winrate } = analysis.rootInfo;
  return { move: move || null, currentPlayer, winrate, best: bestOf(analysis) };
};

/** Asks the engine for its verdict on a node's move. The node and its parent must be analysed. */
export const judgePly = async (node) => (await askReview([node.parent, node].map(reviewPoint))).plies[0];

/** Returns the nodes of a line whose moves were mistakes or blunders. If the user plays one
 * side, only that side's moves count. */
export const mistakesOf = (state, line) => {
  const own = ownSide(state);
  return line.filter((node) => isMistake(node) && (!own || node.parent.position.to_move === own));
};

export const createReview = (store) => {
  const { state } = store;
  let running = null;

  /** Stores the engine's verdict on each move of a line, if all its positions are analysed. */
  const judge = async (tree, line) => {
    if (line.length < 2 || line.some(({ analysis }) => !analysis)) return;
    const { plies, sides } = await askReview(line.map(reviewPoint));
    plies.forEach((judged, index) => { line[index + 1].judged = judged; });
    tree.review = sides;
    const mistakes = mistakesOf(state, line).length;
    const isFlawless = plies.every(({ word }) => !word);
    if (state.tree === tree && (mistakes || isFlawless)) store.set({ advice: () => (isFlawless ? words().flawless : words().reviewed(mistakes)) });
    store.touch("analysis", "revision");
  };

  const begin = async () => {
    running?.abort();
    const { tree } = state;
    const line = lineThrough(state.node);
    const seen = new Set();
    const mine = new AbortController();
    running = mine;
    const maxVisits = REVIEW_PLAYOUTS[state.settings.depth];
    store.set({ reviewing: { done: 0, all: line.length } });
    const query = { position: tree.start, moves: movesTo(endOf(state.node)), analyzeTurns: "all", maxVisits, reuse: true };
    await attempt(async () => {
      await search(query, mine.signal, (answer) => {
        if (state.tree !== tree) return mine.abort();
        seen.add(answer.turnNumber);
        keepAnalysis(line[answer.turnNumber], answer);
        line[answer.turnNumber].isRequested = true;
        store.set({ reviewing: { done: seen.size, all: line.length } });
        return store.touch("analysis");
      });
      await judge(tree, line);
    });
    if (running !== mine) return;
    running = null;
    store.set({ reviewing: null });
  };

  store.view(["reviewing", "language"], () => {
    const all = words();
    const { reviewing } = state;
    byId("review").textContent = reviewing ? `${all.reviewStop} (${all.reviewing(reviewing.done, reviewing.all)})` : all.review;
  });

  store.view(["tree", "revision", "language", "task"], () => {
    const { review, root } = state.tree;
    byId("depth").hidden = byId("review").hidden = root.children.length === 0;
    byId("retry").hidden = !review || Boolean(state.task);
    byId("summary").hidden = !review;
    if (!review) return;
    const all = words();
    byId("summary").tBodies[0].replaceChildren(...SIDES.map((side) => {
      const { accuracy } = review[side];
      const figures = { ...review[side], accuracy: accuracy === null ? "–" : percent(accuracy) };
      const cells = ["accuracy", ...Object.keys(VERDICT_SIGNS)].map((word) => {
        const cell = element("td", figures[word]);
        cell.dataset.word = word;
        return cell;
      });
      return element("tr", [element("th", all[side]), ...cells]);
    }));
  });

  onClick("review", () => (running ? running.abort() : begin()));

  return { begin };
};
