// The page: makes the store, the actions and the views, and joins them.

import { createArrival } from "./arrival.js";
import { askCatalogue } from "./backend.js";
import { createBoard } from "./board.js";
import { createClock } from "./clock.js";
import { createControls } from "./controls.js";
import { createDrawing } from "./drawing.js";
import { at, each } from "./elements.js";
import { createEnding } from "./ending.js";
import { createEngine } from "./engine.js";
import { createExercises } from "./exercises.js";
import { createFiles } from "./files.js";
import { createGame } from "./game.js";
import { createGraph } from "./graph.js";
import { createHelp } from "./help.js";
import { createLearning } from "./learn.js";
import { createMoves } from "./moves.js";
import { chosenPlayers, createNewGame } from "./newgame.js";
import { createPanel } from "./panel.js";
import { createPosition } from "./position.js";
import { createPrimer } from "./primer.js";
import { createReview } from "./review.js";
import { createSeats, nameInFile, playerName } from "./seats.js";
import { createSettings, firstSettings } from "./settings.js";
import { createSetup } from "./setup.js";
import { createStatus } from "./status.js";
import { showEnds } from "./stepper.js";
import { createStore } from "./store.js";
import { createTasks } from "./tasks.js";
import { SIDES, isOver, isPerson, isPlayable, mayMove, otherSide, ownSide, resultAt } from "./players.js";
import { countAside, keep } from "./storage.js";
import { createTree, lineThrough, pathTo, sideAt } from "./tree.js";
import { attempt, dismiss, notify, trouble } from "./trouble.js";
import { currentLanguage, speak, words } from "./words.js";

// The words and the empty board are there before the engine answers.
speak();
const data = await askCatalogue().catch((error) => {
  at("status").textContent = error.message;
  throw error;
});

const tree = createTree(data.game);
const store = createStore({
  // What is shown: the game and the position of it on the board.
  tree,
  node: tree.root,
  mode: "play", // or "setup", "task"
  settings: firstSettings(data.levels, String(data.game.width)),
  ending: null,
  clocks: null,
  paused: false,
  // What is searched.
  search: null,
  analysing: false,
  reviewing: null,
  // What the person has asked for or looks at.
  pointed: null,
  pinned: null,
  square: null,
  step: "amazon",
  hint: null,
  advice: null,
  task: null,
  waiting: null, // a move that the backend has not heard of yet
  aside: countAside(),
});
const { configure, state } = store;

// ---- Actions

/** Ways of putting another tree on the board: a game to look at, one that was kept, a new one. */
const ARRIVALS = ["open", "restore", "new", "task"];

/**
 * What follows when a position comes on the board; `how`: one of `ARRIVALS`, "play", "engine", "undo", "step", "seek".
 * `byHand`: the person has moved the amazon on the board already.
 */
const moved = (node, how, byHand = how === "play") => {
  store.set({ pointed: null, pinned: null, hint: null, ending: null });
  if (ARRIVALS.includes(how)) {
    if (state.mode === "setup") setEditing(false);
    if (how !== "restore") {
      // What was said of another game is over. On a phone the board may be out of sight.
      dismiss();
      scrollTo(0, 0);
    }
    if (how !== "task") store.set({ advice: null, task: null, mode: "play" });
    if (how === "open" || how === "new") configure({ flipped: ownSide(state) === "second" });
  }
  if (how === "play" && !state.task) store.set({ advice: null });
  // Who plays knows the rules, or has read them.
  if (how === "play") configure({ welcome: false });
  position.show(how, byHand);
  if (state.task && how === "play") {
    attempt(() => tasks.judge(node));
    return;
  }
  clock.moved(node, how);
  const result = resultAt(node);
  if (result && (how === "play" || how === "engine") && isPlayable(state)) finish(result);
  engine.proceed();
};

/** The game has ended just now. */
const finish = (result) => {
  dismiss();
  scrollTo(0, 0);
  if (state.tree.goal && result.winner === state.tree.goal) exercises.won(state.tree.start);
  ending.show(result);
};

const game = createGame(store, moved);

/** A side has lost though it has moves: it is out of time, or resigned. */
const lose = (side, why) => attempt(async () => {
  engine.stop();
  const { node } = state.tree.turn;
  node.result = { winner: otherSide(side), why };
  store.touch("node", "revision");
  // The end of the game comes on the board, wherever the person looks.
  if (state.node === node) position.show("seek");
  else await game.seek(node);
  finish(node.result);
});

const clock = createClock(store, (side) => lose(side, "time"));

/** The side that can resign: the person's own, or of two persons the one to move; null where nobody can. */
const resigner = () => {
  const { node } = state.tree.turn;
  const side = ownSide(state) ?? sideAt(state.tree, node);
  const isPlayed = state.tree.live && state.mode === "play" && node.parent !== null && resultAt(node) === null;
  return isPlayed && isPerson(state, side) ? side : null;
};

const resign = async () => {
  const { tree: { turn: { node } } } = state;
  await lose(resigner(), "resignation");
  notify(words().resigned, { label: words().undoDelete, run: () => {
    node.result = null;
    store.set({ ending: null });
    store.touch("node", "revision");
    position.show("seek");
    engine.proceed();
  } });
};

const engine = createEngine(store, game, clock);

/** The date as SGF writes it, which is how Sweden does. */
const today = () => new Date().toLocaleDateString("sv");

/** Begins a game; `options` are those of its tree, with its players. */
const newGame = (query, options) => attempt(async () => {
  engine.stop();
  store.set({ paused: false });
  await game.open({ game: query }, { how: "new", live: true, date: today(), ...options });
});

/** The same game with the sides changed. */
const rematch = () => {
  const { goal, start, clock: time, players: { first, second } } = state.tree;
  return goal ? exercises.again() : newGame({ position: start }, { clock: time, players: { first: second, second: first } });
};

/** Lets other players go on from the position on the board, with another clock. */
const goOn = (options) => {
  engine.stop();
  const { node } = state;
  Object.assign(node, { clocks: null, result: null });
  Object.assign(state.tree, { live: true, turn: { node, spent: 0 }, ...options });
  store.set({ paused: false });
  configure({ flipped: ownSide(state) === "second" });
  store.touch("tree", "revision");
  engine.proceed();
};

/** Back to where a person was last to move; says what the move that is taken back gave away. */
const undo = async () => {
  const alone = !isPerson(state, "first") && !isPerson(state, "second");
  const path = pathTo(state.node);
  const mine = (node) => alone || isPerson(state, node.position.to_move);
  const back = path.slice(0, -1).findLast((node) => node.position && mine(node)) ?? path[0];
  const taken = path[back.ply + 1];
  if (!taken || state.task) return;
  // Engines alone would make the move again at once.
  if (alone) store.set({ paused: true });
  // A game that was lost by time or resigned goes on where the move is taken back; the result of a file stays.
  if (state.tree.live) state.node.result = null;
  await game.seek(back, "undo");
  if (ownSide(state)) attempt(() => learning.advise(taken));
};

const redo = async () => {
  if (state.task) return;
  const line = lineThrough(state.node).slice(state.node.ply + 1);
  const mine = (node) => !node.position || isPerson(state, node.position.to_move);
  await game.seek(line.find(mine) ?? line.at(-1), "step");
};

// ---- Views

const board = createBoard(at("board"), {
  mayMove: () => mayMove(state),
  move: (move) => attempt(() => game.play(move), () => position.show("seek")),
  // What was said of the last try gives way to the task.
  chosen: (step) => store.set({ step, ...(state.task && step !== "amazon" && { advice: null }) }),
  looked: (name) => store.set({ square: name ?? null }),
  put: (name) => setup.put(name),
});

const position = createPosition(store, board);
createSettings(store);
createNewGame(store, data.levels, (size) => {
  const options = { players: chosenPlayers(state.settings), clock: state.settings.clock };
  if (size) newGame({ boardXSize: size }, options);
  else goOn(options);
});
createSeats(store, data.levels);
createStatus(store);
createMoves(store, game);
createPanel(store, (move) => { if (mayMove(state)) attempt(() => game.play(move, "play", false)); });
createDrawing(store, board);
createGraph(store, at("graph"), (ply) => attempt(() => game.toPly(ply)));
const ending = createEnding(store);
const review = createReview(store);
const tasks = createTasks(store, game, () => {
  engine.stop();
  if (state.mode === "setup") setEditing(false);
});
const learning = createLearning(store, game, engine, tasks);
const help = createHelp();
const exercises = createExercises(store, game, tasks, data.exercises, (exercise) => {
  const goal = exercise.position.split(" ")[1] === "w" ? "first" : "second";
  const players = Object.fromEntries(SIDES.map((side) => [side, side === goal ? "person" : "time:1"]));
  newGame({ position: exercise.position }, { goal, players });
}, (title, text) => ending.show({ title, text }));

store.view(["tree", "node", "revision", "mode", "language"], () => {
  const { node } = state;
  showEnds(!node.parent, node.children.length === 0);
  at("undo").disabled = !node.parent;
  at("redo").disabled = node.children.length === 0;
  at("resign").hidden = resigner() === null;
  document.body.classList.toggle("begun", state.tree.root.children.length > 0);
});
createPrimer(store, exercises.beginLesson);

store.view(["aside"], () => { at("back-to-own").hidden = state.aside === 0; });
store.view(["search", "mode", "tree"], () => board.describe());
store.view(["known"], () => {
  exercises.watch(state.node.known);
});

// ---- Setting up, opening

const setEditing = (on) => {
  engine.stop();
  store.set({ mode: on ? "setup" : "play", hint: null });
  board.edit(on);
  at("setup").hidden = !on;
  at("game").hidden = on;
  if (!on) position.renew();
  document.body.classList.toggle("editing", on);
  for (const part of each("#analysis, #record, .controls")) part.inert = on;
  scrollTo(0, 0);
};

const setup = createSetup(
  board,
  (answer) => game.load(answer, { ply: 0, live: true, date: today(), clock: state.tree.clock, players: state.tree.players }),
  () => {
    setEditing(false);
    position.show("seek");
    engine.proceed();
  },
  trouble,
);

const files = createFiles(store, async (source, index) => {
  const answer = await game.open({ ...source, boardXSize: Number(state.settings.size), number: index }, { linked: true });
  if (!answer) return null;
  if (answer.games) return answer.games;
  // A finished game is read from its start, another goes on where it ends.
  if (isOver(state)) await game.toStart();
  engine.proceed();
  if (answer.moves.length > 1) review.begin();
  return null;
}, (side) => nameInFile(state, side, data.levels));

// ---- Buttons and keys

const seek = (step) => () => { if (state.mode !== "setup") attempt(step); };
const ACTIONS = {
  home: seek(game.toStart),
  back: seek(game.back),
  next: seek(game.forward),
  end: seek(game.toEnd),
  undo: seek(undo),
  redo: seek(redo),
  flip: () => configure({ flipped: !state.settings.flipped }),
  "move-now": engine.moveNow,
  analyse: engine.toggleAnalysis,
  details: () => configure({ details: !state.settings.details }),
  sound: () => configure({ sound: !state.settings.sound }),
  "back-to-own": () => arrival.backToOwn((games, back) => files.choose(games.map(gameLabel), back)),
  rematch,
  resign,
  "ending-review": () => {
    store.set({ ending: null });
    review.begin();
  },
  "ending-new": () => at("new").click(),
  "ending-save": () => at("open-save").click(),
  pause: () => {
    store.set({ paused: !state.paused });
    attempt(() => game.seek(state.tree.turn.node)).then(engine.proceed);
  },
  "open-setup": () => {
    if (state.mode === "setup") return;
    setEditing(true);
    setup.open(state.node.position.fen);
  },
};
createControls(store, ACTIONS, {
  f: ACTIONS.flip, u: ACTIONS.undo, r: ACTIONS.redo, h: learning.hint, " ": engine.toggleAnalysis, "?": help.show,
  Escape: () => {
    board.cancel();
    store.set({ hint: null, pinned: null, ending: null });
  },
});

at("language").value = currentLanguage();
at("language").addEventListener("change", () => {
  speak(at("language").value);
  store.touch("language");
  if (state.mode === "setup") setup.furnish();
  else board.describe();
});

const arrival = createArrival(store, game, data.starts);

/** A kept game in a list: its players, its board and its length. */
const gameLabel = ({ tree: kept, moves }) => {
  const names = SIDES.map((side) => playerName({ tree: kept }, side, data.levels)).join(" – ");
  return `${names} · ${kept.width} × ${kept.height} · ${words().pliesPlayed(moves.length)}`;
};

const start = async () => {
  Object.assign(state.tree, { live: true, date: today(), clock: state.settings.clock, players: chosenPlayers(state.settings) });
  position.show("seek");
  const unread = await arrival.begin();
  keep(store, data.starts, lineThrough, unread);
  // Every view shows what there is.
  store.touch(...Object.keys(state), "language", "known", "revision");
};

start();
