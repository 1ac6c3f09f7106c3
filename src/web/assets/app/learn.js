// Helps the user learn: gives hints in three steps, judges a move that the user has taken back, and
// lets the user look for a better move in place of each mistake of a game.

import { costText } from "./panel.js";
import { isOver } from "./players.js";
import { judgePly, mistakesOf } from "./review.js";
import { partsOf } from "./rules.js";
import { bestOf, lineThrough } from "./tree.js";
import { attempt, onClick } from "./messages.js";
import { words } from "./words.js";

export const createLearningAids = (store, game, engine, tasks) => {
  const { state } = store;

  /** Shows a hint's next step (amazon, target, arrow), or hides the hint after the last step. */
  const hint = async () => {
    const { node, hint: given } = state;
    if (isOver(state) || state.mode === "setup" || state.search?.purpose === "play") return;
    if (given?.node === node) {
      store.set({ hint: given.step < 3 ? { ...given, step: given.step + 1 } : null });
      return;
    }
    let best = tasks.answer();
    if (!best) {
      store.set({ advice: () => words().lookingForHint });
      best = (await engine.consult([node])) && bestOf(node.analysis);
    }
    store.set({ advice: null });
    if (best && state.node === node) store.set({ hint: { node, step: 1, best } });
  };

  /** Shows how much of the winning chances the user lost by a move, after the user took it back. */
  const advise = async (node) => {
    const ready = await engine.consult([node.parent, node]);
    if (!ready || state.node.ply >= node.ply) return;
    const best = bestOf(node.parent.analysis);
    if (!best || !node.analysis) return;
    const { lost, word } = await judgePly(node);
    store.set({ advice: () => (word ? words().advice(node.move, costText(lost), partsOf(best).from) : words().fine(node.move)) });
  };

  const mistakeTask = (mistake) => ({
    open: () => game.seek(mistake.parent, "task"),
    node: () => mistake.parent,
    question: (number, count) => words().retryTask(number, count, mistake.move, costText(mistake.judged.lost)),
    answer: () => bestOf(mistake.parent.analysis),
    judge: async (node) => {
      if (node.parent !== mistake.parent) return null;
      store.set({ advice: () => words().judging });
      if (!(await engine.consult([node.parent, node]))) return null;
      const { lost, word } = await judgePly(node);
      return { good: !word, text: () => words()[word ? "retryBad" : "retryGood"](node.move, costText(lost)) };
    },
  });

  const retry = () => {
    const mistakes = mistakesOf(state, lineThrough(state.node));
    if (mistakes.length > 0) tasks.begin(mistakes.map(mistakeTask), (count) => store.set({ advice: () => words().retryDone(count) }));
    else store.set({ advice: () => words().noMistakes });
  };

  store.on("undone", (node) => attempt(() => advise(node)));
  onClick("hint", hint);
  onClick("retry", retry);
};
