// Asks a list of tasks: the mistakes of a game, the steps of the lesson, or exercises with a best
// move. Each task is a position and a question. The answer is shown only on request.

import { byId } from "./elements.js";
import { attempt, onClick } from "./messages.js";

/** Asks tasks. A task has `open()`, which shows its position, `node()`, which returns the node of
 * the position, `question(number, all)`, a text, and `answer()`, a move. `judge(node)` returns
 * {good, text()} for the user's move, or null if it was made elsewhere. `mark` is a square to
 * mark, if any. */
export const createTasks = (store, game) => {
  const { state } = store;
  const current = () => state.task.list[state.task.at];

  /** Ends the tasks and shows the previous game again. */
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
    // On a phone the board may be scrolled out of view.
    scrollTo(0, 0);
  };

  /** Shows the verdict on a move. A wrong move is taken back. */
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
    for (const id of ["task-answer", "task-next", "task-leave"]) byId(id).hidden = !state.task;
    byId("task-next").classList.toggle("primary", Boolean(state.task?.done));
  });

  store.on("moved", (node, how) => { if (state.task && how === "play") attempt(() => judge(node)); });

  onClick("task-answer", async () => {
    const { node, answer } = current();
    const from = node();
    // `seek` removes the hint, so the hint is set after it.
    await game.seek(from, "task");
    store.set({ hint: { node: from, step: 3, best: answer() }, advice: null });
  });
  onClick("task-next", () => ask(state.task.at + 1));
  onClick("task-leave", leave);

  return {
    /** Begins a list of tasks at the index `number`. Calls `ended(count)` after the last one. */
    begin: (list, ended, number = 0) => {
      const own = state.task?.own ?? { tree: state.tree, node: state.node, flipped: state.settings.flipped, paused: state.paused };
      store.set({ mode: "task", analysing: false, paused: true, ending: null, task: { list, ended, own, at: number, done: false } });
      return attempt(() => ask(number));
    },
    /** Returns the answer if the board shows the position of a task, or null. */
    answer: () => (state.task && current().node() === state.node ? current().answer() : null),
  };
};
