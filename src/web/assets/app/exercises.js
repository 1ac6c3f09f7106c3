// What there is to learn: the first lesson, positions with a best move, and endgames whose winner
// the solver has proven. In an endgame the engine defends by the longest resistance.

import { at, choice } from "./elements.js";
import { smallPicture } from "./picture.js";
import { sideOf } from "./players.js";
import { partsOf } from "./rules.js";
import { notify } from "./trouble.js";
import { words } from "./words.js";

const SOLVED = "quiver.solved";

const solved = () => {
  try { return new Set(JSON.parse(localStorage.getItem(SOLVED)) || []); } catch { return new Set(); }
};

/** Keeps that an exercise was solved. */
const keepSolved = (position) => {
  try { localStorage.setItem(SOLVED, JSON.stringify([...solved().add(position)])); } catch { /* It is not kept, then. */ }
};

const moverOf = (position) => (position.split(" ")[1] === "w" ? "first" : "second");

/** How far a move agrees with a solution: 0 in nothing, 1 in the amazon, 2 in the way, 3 in all. */
const agreement = (move, solution) => {
  const [mine, theirs] = [partsOf(move), partsOf(solution)];
  return mine.from !== theirs.from ? 0 : mine.to !== theirs.to ? 1 : mine.arrow !== theirs.arrow ? 2 : 3;
};

/** The lists of `exercises`; `begin(endgame)` puts an endgame on the board, and `ended(title, text)` shows an end. */
export const createExercises = (store, game, tasks, exercises, begin, ended) => {
  const { state } = store;
  const { lesson, bestMoves, endgames } = exercises;

  const start = (index) => begin(endgames[index]);

  /** The number of the endgame on the board. */
  const current = () => endgames.findIndex(({ position }) => position === state.tree.start);

  /** A task of `tasks.js` from a position with solutions; `question` and `verdict(move, agreed)` are its words. */
  const moveTask = ({ position, solutions, mark }, question, verdict) => {
    let root = null;
    return {
      mark,
      open: async () => {
        await game.open({ game: { position } }, { how: "task" });
        root = state.tree.root;
        store.configure({ flipped: moverOf(position) === "second" });
      },
      node: () => root,
      question,
      answer: () => solutions[0],
      judge: ({ parent, move }) => {
        if (parent !== root) return null;
        const agreed = Math.max(...solutions.map((solution) => agreement(move, solution)));
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
    () => ended(() => words().lessonEnded, () => words().lessonDone),
  );

  const beginBestMove = (index) => tasks.begin(
    bestMoves.map((task) => moveTask(
      task,
      (number) => words().bestMove(number, words().player[moverOf(task.position)], task.proven),
      (move, agreed) => words().agreed[agreed](move),
    )),
    () => ended(() => words().bestMovesDone, () => words().solvedOf(bestMoves.filter(({ position }) => solved().has(position)).length, bestMoves.length)),
    index,
  );

  const list = () => {
    const all = words();
    const done = solved();
    // A list begins with what is easy: its thirds are grades.
    const fill = (id, items, label, run) => at(id).replaceChildren(...items.map((one, index) => {
      const item = choice("", () => {
        at("exercises").close();
        run(index);
      });
      const [name, more] = label(one, index + 1, all.grades[Math.floor((3 * index) / items.length)]);
      item.firstElementChild.innerHTML = `${smallPicture(one.position)}<span><b></b><small></small></span>`;
      item.querySelector("b").textContent = `${done.has(one.position) ? "✓ " : ""}${name}`;
      item.querySelector("small").textContent = more;
      return item;
    }));
    fill("lesson-list", lesson.slice(0, 1), () => [all.lessonTitle, all.lessonHint], beginLesson);
    fill("best-move-list", bestMoves, ({ position }, number, grade) => [all.exercise(number, all.player[moverOf(position)]), grade], beginBestMove);
    fill("exercise-list", endgames, ({ position, moves, wins }, number, grade) =>
      [all.exercise(number, all.player[moverOf(position)]), `${grade} · ${all.winning(wins, moves)}`], start);
  };

  for (const id of ["open-exercises", "ending-exercises"]) {
    at(id).addEventListener("click", () => {
      list();
      at("exercises").showModal();
    });
  }
  at("next-exercise").addEventListener("click", () => start((current() + 1) % endgames.length));

  return {
    beginLesson,
    again: () => start(current()),
    /** Keeps that an endgame was won. */
    won: keepSolved,
    /** Looks at an answer of the engine, which plays the side that should lose. */
    watch: (answer) => {
      const { goal } = state.tree;
      if (goal && answer?.proven && sideOf(answer.rootInfo.currentPlayer) !== goal && answer.rootInfo.winrate === 1) {
        notify(words().winGone, { label: words().undo, run: () => at("undo").click() });
      }
    },
  };
};
