// Writes the sentence below the board: advice, what the user can do next, or the game's result.

import { byId } from "./elements.js";
import { squareOrBoardText } from "./overlay-text.js";
import { isOver, isPerson, isPlayable, isThinking, mayMove, ownSide, resultAt } from "./players.js";
import { resultText } from "./outcome.js";
import { costText } from "./panel.js";
import { partsOf } from "./rules.js";
import { bestOf } from "./tree.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

const hintText = ({ best, step }) => {
  const { from, to, arrow } = partsOf(best);
  return words().hints[step - 1](from, to, arrow);
};

/** True if the game has later moves, so that a move in this position would begin a variation. */
const isEarlierPosition = ({ node, tree, mode }) => node.children.length > 0 && node !== tree.turn.node && mode !== "task";

/** Returns a sentence about a review's verdict on the last move, or null if none is to be shown. */
const verdictText = (state) => {
  const { node: { parent, move, judged }, tree } = state;
  if (!judged?.word || (tree.live && !isEarlierPosition(state))) return null;
  return words().cost(words().verdicts[judged.word], move, costText(judged.lost), bestOf(parent.analysis));
};

const statusText = (state) => {
  const all = words();
  const { to_move } = state.node.position;
  if (state.mode === "setup") return all.setupTitle;
  if (isOver(state)) {
    if (!isPlayable(state)) return all.noMoveAtStart(all.player[to_move]);
    const { title, reason } = resultText(resultAt(state.node), ownSide(state));
    return `${title} ${reason}`;
  }
  if (state.waiting?.parent === state.node) return all.waiting(state.waiting.move);
  if (state.hint?.node === state.node) return hintText(state.hint);
  if (state.task) return state.task.list[state.task.at].question(state.task.at + 1, state.task.list.length);
  if (state.tree.goal) return all.winAs(all.player[state.tree.goal]);
  if (isThinking(state)) return all.engineThinks(all.player[to_move]);
  if (mayMove(state)) {
    if (state.step === "target") return all.chooseTarget;
    if (state.step === "arrow") return all.chooseArrow;
    if (verdictText(state)) return verdictText(state);
    if (isEarlierPosition(state)) return all.behind;
    return ownSide(state) === to_move ? all.yourMove : all.choose(all.player[to_move]);
  }
  return verdictText(state) ?? (isEarlierPosition(state) ? all.behind : all.watching(all.player[to_move]));
};

export const createStatus = (store) => {
  const { state } = store;
  store.view(["tree", "node", "revision", "search", "settings", "mode", "step", "hint", "advice", "waiting", "task", "paused", "analysis", "language"], () => {
    const text = state.advice?.() ?? statusText(state);
    byId("advice-close").hidden = !state.advice;
    if (byId("status").textContent !== text) byId("status").textContent = text;
    const all = words();
    byId("move-now").textContent = state.search?.purpose === "play" ? all.moveNowBusy : all.moveNow;
    byId("move-now").disabled = isOver(state) || state.mode === "setup";
    byId("hint").disabled = isOver(state) || !mayMove(state) || state.search?.purpose === "play";
    const alone = !isPerson(state, "first") && !isPerson(state, "second");
    byId("pause").hidden = state.mode === "task" || (!alone && !state.paused);
    byId("pause").textContent = state.paused ? all.goOn : all.pause;
    byId("pause").disabled = isOver(state) || state.mode === "setup";
  });
  onClick("advice-close", () => store.set({ advice: null }));
  store.view(["tree", "node", "analysis", "square", "analysing", "language"], () => {
    byId("facts").textContent = squareOrBoardText(state, state.square);
  });
};
