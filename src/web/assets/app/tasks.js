// Gives the user a list of tasks, each a position and a question. The tasks are the mistakes of a
// game, the steps of the lesson, or exercises. The page shows an answer only on request.

import { byId } from "./elements.js";
import { attempt, onClick } from "./messages.js";

/** Creates the functions that give tasks. A task has these methods: `open()` shows its position,
 * and `node()` returns the position's node. `question(number, all)` returns the question as text,
 * and `answer()` the right move. `judge(node)` returns {good, text()} for the user's move, or null
 * for a move in another position. The field `mark`, if any, is a square to mark on the board. */
export const createTasks = (store, game) => {
  const { state } = store;
  const current = () => state.task.list[state.task.at];

  /** Closes the list of tasks, and shows the game that it replaced on the page. */
  const leave = () => {
    const { own } = state.task;
    store.set({ mode: "play", task: null, paused: own.paused });
    if (own.tree !== state.tree) {
      store.configure({ flipped: own.flipped });
      game.replaceTree(own.tree, own.node, "restore");
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
    scrollTo(0, 0);
  };

  /** Judges the user's move in a task and shows the verdict. Takes back a wrong move. */
  const judge = async (node) => {
    const { task } = state;
    const verdict = await current().judge(node);
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

  store.on("moved", (node, cause) => { if (state.task && cause === "play") attempt(() => judge(node)); });

  onClick("task-answer", async () => {
    const { node, answer } = current();
    const from = node();
    // `seek` removes any hint, so the hint that shows the answer is set after `seek`.
    await game.seek(from, "task");
    store.set({ hint: { node: from, step: 3, best: answer() }, advice: null });
  });
  onClick("task-next", () => ask(state.task.at + 1));
  onClick("task-leave", leave);

  return {
    /** Begins a list of tasks at index `number`. Calls `ended` after the last task. */
    begin: (list, ended, number = 0) => {
      const own = state.task?.own ?? { tree: state.tree, node: state.node, flipped: state.settings.flipped, paused: state.paused };
      store.set({ mode: "task", analysing: false, paused: true, ending: null, task: { list, ended, own, at: number, done: false } });
      return attempt(() => ask(number));
    },
    /** Returns the answer of the current task if the board shows its position, or else null. */
    answer: () => (state.task && current().node() === state.node ? current().answer() : null),
  };
};
