// Tasks one after another: the mistakes of a game, the steps of the lesson, exercises with a best
// move. Each is a position and a question. The answer stays hidden until the person asks for it.

import { at } from "./elements.js";
import { attempt, onClick } from "./trouble.js";

/**
 * Asks tasks. A task has `open()`, which puts its position on the board, `node()` of that
 * position, `question(number, all)`, `answer()`, and `judge(node)`, which returns {good, text()} for a move that was made,
 * or null if that does not count. `mark` names a square to mark, if any.
 */
export const createTasks = (store, game) => {
  const { state } = store;
  const current = () => state.task.list[state.task.at];

  /** Ends the tasks, with the game on the board that was there before. */
  const leave = () => {
    const { own } = state.task;
    store.set({ mode: "play", task: null, paused: own.paused });
    if (own.tree !== state.tree) {
      store.configure({ flipped: own.flipped });
      game.put(own.tree, own.node, "restore");
    }
    store.set({ advice: null });
  };

  const ask = async (number) => {
    const { list, ended } = state.task;
    if (number >= list.length) {
      leave();
      ended(list.length);
      return;
    }
    store.set({ task: { ...state.task, at: number, done: false }, advice: null });
    await list[number].open();
    // On a phone the board may be out of sight.
    scrollTo(0, 0);
  };

  /** Judges a move that was tried. */
  const judge = async (node) => {
    const { task } = state;
    const asked = current();
    const verdict = await asked.judge(node);
    if (!verdict || state.task !== task) return;
    store.set({ advice: verdict.text });
    if (verdict.good) store.set({ task: { ...task, done: true } });
    else await game.seek(node.parent, "task");
  };

  store.view(["task", "language"], () => {
    document.body.classList.toggle("tasked", Boolean(state.task));
    for (const id of ["task-answer", "task-next", "task-leave"]) at(id).hidden = !state.task;
    at("task-next").classList.toggle("primary", Boolean(state.task?.done));
  });

  store.on("moved", (node, how) => { if (state.task && how === "play") attempt(() => judge(node)); });

  onClick("task-answer", async () => {
    const { node, answer } = current();
    const from = node();
    // A position that comes on the board has no hint yet.
    await game.seek(from, "task");
    store.set({ hint: { node: from, step: 3, best: answer() }, advice: null });
  });
  onClick("task-next", () => ask(state.task.at + 1));
  onClick("task-leave", leave);

  return {
    /** Begins with the task of this number; `ended(count)` follows the last. */
    begin: (list, ended, number = 0) => {
      const own = state.task?.own ?? { tree: state.tree, node: state.node, flipped: state.settings.flipped, paused: state.paused };
      store.set({ mode: "task", analysing: false, paused: true, ending: null, task: { list, ended, own, at: number, done: false } });
      return attempt(() => ask(number));
    },
    /** The answer of the task on the board, or null. */
    answer: () => (state.task && current().node() === state.node ? current().answer() : null),
  };
};
