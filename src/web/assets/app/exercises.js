// Offers the first lesson, exercises to find the best move of a position, and endgames that are
// proven wins for the user. In an endgame the engine plays the losing side as well as it can.

import { byId, buttonItem, element } from "./elements.js";
import { readStored, writeStored } from "./local-storage.js";
import { smallPicture } from "./picture.js";
import { SIDES, sideOf } from "./players.js";
import { partsOf } from "./rules.js";
import { attempt, notify, onClick } from "./messages.js";
import { words } from "./words.js";

const SOLVED_KEY = "quiver.solved";

const solvedPositions = () => {
  const list = readStored(SOLVED_KEY);
  return new Set(Array.isArray(list) ? list : []);
};

const keepSolved = (position) => writeStored(SOLVED_KEY, [...solvedPositions().add(position)]);

const sideToMove = (position) => (position.split(" ")[1] === "w" ? "first" : "second");

/** Compares a move with a solution. Returns 3 if they are equal, 2 if only the arrow differs, 1 if
 * only the amazon is right, and 0 if even the amazon differs. */
const countAgreeingParts = (move, solution) => {
  const [mine, theirs] = [partsOf(move), partsOf(solution)];
  return mine.from !== theirs.from ? 0 : mine.to !== theirs.to ? 1 : mine.arrow !== theirs.arrow ? 2 : 3;
};

export const createExercises = (store, game, play, tasks) => {
  const { state } = store;
  const { lesson, bestMoves, endgames } = state.catalogue.exercises;

  const start = (index) => {
    const { position } = endgames[index];
    const goal = sideToMove(position);
    const players = Object.fromEntries(SIDES.map((side) => [side, side === goal ? "person" : "time:1"]));
    return attempt(() => play.begin({ position }, { goal, players }));
  };

  /** Returns a task for `createTasks` in which the user must find a best move in a position. */
  const moveTask = ({ position, solutions, mark }, question, verdict) => {
    let root = null;
    return {
      mark,
      open: async () => {
        await game.open({ game: { position } }, { cause: "task" });
        root = state.tree.root;
        store.configure({ flipped: sideToMove(position) === "second" });
      },
      node: () => root,
      question,
      answer: () => solutions[0],
      judge: ({ parent, move }) => {
        if (parent !== root) return null;
        const agreed = Math.max(...solutions.map((solution) => countAgreeingParts(move, solution)));
        if (agreed === 3) keepSolved(position);
        return { good: agreed === 3, text: () => verdict(move, agreed) };
      },
    };
  };

  const beginLesson = () => tasks.begin(
    lesson.map((task, index) => moveTask(
      task,
      (number, all) => `${number}/${all}: ${words().lesson[index].ask}`,
      (_, agreed) => (agreed === 3 ? words().lesson[index].good : words().lessonAgain),
    )),
    () => store.emit("ended", { title: () => words().lessonEnded, text: () => words().lessonDone }),
  );

  const solvedText = () => words().solvedOf(bestMoves.filter(({ position }) => solvedPositions().has(position)).length, bestMoves.length);

  const beginBestMove = (index) => tasks.begin(
    bestMoves.map((task) => moveTask(
      task,
      (number) => words().bestMove(number, words().player[sideToMove(task.position)], task.proven),
      (move, agreed) => words().agreed[agreed](move),
    )),
    () => store.emit("ended", { title: () => words().bestMovesDone, text: solvedText }),
    index,
  );

  const list = () => {
    const all = words();
    const done = solvedPositions();
    // Each list is sorted by difficulty: the first third is easy, and the last third is hard.
    const fill = (id, items, label, run) => byId(id).replaceChildren(...items.map((one, index) => {
      const item = buttonItem("", () => {
        byId("exercises").close();
        run(index);
      });
      const [name, more] = label(one, index + 1, all.grades[Math.floor((3 * index) / items.length)]);
      item.firstElementChild.innerHTML = smallPicture(one.position);
      item.firstElementChild.append(element("span", [element("b", `${done.has(one.position) ? "✓ " : ""}${name}`), element("small", more)]));
      return item;
    }));
    fill("lesson-list", lesson.slice(0, 1), () => [all.lessonTitle, all.lessonHint], beginLesson);
    fill("best-move-list", bestMoves, ({ position }, number, grade) => [all.exercise(number, all.player[sideToMove(position)]), grade], beginBestMove);
    fill("exercise-list", endgames, ({ position, moves, wins }, number, grade) =>
      [all.exercise(number, all.player[sideToMove(position)]), `${grade} · ${all.winning(wins, moves)}`], start);
  };

  for (const id of ["open-exercises", "ending-exercises"]) {
    onClick(id, () => {
      list();
      byId("exercises").showModal();
    });
  }
  onClick("next-exercise", () => start((endgames.findIndex(({ position }) => position === state.tree.start) + 1) % endgames.length));
  for (const id of ["welcome-lesson", "help-lesson"]) {
    onClick(id, () => {
      byId("help").close();
      store.configure({ welcome: false });
      return beginLesson();
    });
  }

  store.on("ended", ({ winner }) => { if (winner && winner === state.tree.goal) keepSolved(state.tree.start); });
  // If the engine proves that the user's mistake has lost a won endgame, a message says so.
  store.view(["analysis"], () => {
    const { node: { analysis }, tree: { goal } } = state;
    if (goal && analysis?.proven && sideOf(analysis.rootInfo.currentPlayer) !== goal && analysis.rootInfo.winrate === 1) {
      notify(words().winGone, { label: words().undo, run: () => byId("undo").click() });
    }
  });
};
