// The sentence below the board: whose turn it is and what to do, or how the game ended.

import { factsOf } from "./facts.js";
import { isOver, isPerson, isPlayable, isThinking, mayMove, ownSide, resultAt } from "./players.js";
import { resultText } from "./ending.js";
import { partsOf } from "./rules.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

const hintText = ({ best, step }) => {
  const { from, to, arrow } = partsOf(best);
  return words().hints[step - 1](from, to, arrow);
};

const sentence = (state) => {
  const all = words();
  const { to_move } = state.node.position;
  if (state.mode === "setup") return all.setupTitle;
  if (isOver(state)) {
    if (!isPlayable(state)) return all.noMoveAtStart(all.player[to_move]);
    const { title, reason } = resultText(resultAt(state.node), ownSide(state));
    return `${title} ${reason}`;
  }
  if (state.hint?.node === state.node) return hintText(state.hint);
  if (isThinking(state)) return all.engineThinks(all.player[to_move]);
  if (mayMove(state)) {
    if (state.step === "target") return all.chooseTarget;
    if (state.step === "arrow") return all.chooseArrow;
    return state.node.children.length && state.mode !== "retry" ? all.behind : all.choose(all.player[to_move]);
  }
  return isPerson(state, to_move) ? all.choose(all.player[to_move]) : state.node.children.length ? all.behind : all.watching(all.player[to_move]);
};

export const createStatus = (store) => {
  const { state } = store;
  store.view(["tree", "node", "revision", "search", "settings", "mode", "step", "hint", "paused", "language"], () => {
    const text = sentence(state);
    if (at("status").textContent !== text) at("status").textContent = text;
    const all = words();
    at("move-now").textContent = state.search?.purpose === "play" ? all.moveNowBusy : all.moveNow;
    at("move-now").disabled = isOver(state) || state.mode === "setup" || state.mode === "retry";
    at("hint").disabled = isOver(state) || !mayMove(state) || state.search?.purpose === "play";
    const alone = !isPerson(state, "first") && !isPerson(state, "second");
    at("pause").hidden = !alone && !state.paused;
    at("pause").textContent = state.paused ? all.goOn : all.pause;
    at("pause").disabled = isOver(state) || state.mode === "setup" || state.mode === "retry";
  });
  store.view(["tree", "node", "known", "square", "language"], () => {
    at("facts").textContent = factsOf(state, state.square);
  });
};
