// The page: makes the store, the actions and the views, and joins them.

import { createBoard } from "./board.js";
import { createClock } from "./clock.js";
import { createDrawing } from "./drawing.js";
import { createEnding } from "./ending.js";
import { createEngine } from "./engine.js";
import { createExercises } from "./exercises.js";
import { createFiles } from "./files.js";
import { createGame } from "./game.js";
import { createGraph } from "./graph.js";
import { createHelp } from "./help.js";
import { createLearning } from "./learn.js";
import { createMoves } from "./moves.js";
import { createPanel } from "./panel.js";
import { createReview } from "./review.js";
import { createSeats } from "./seats.js";
import { createSettings, firstSettings, SIZES } from "./settings.js";
import { createSetup } from "./setup.js";
import { createStatus } from "./status.js";
import { createStore } from "./store.js";
import { isOver, isPerson, isPlayable, mayMove, otherSide, ownSide, resultAt } from "./players.js";
import { countAside, exchangeAside, gameOf, keep, keptGame, latestAside, readAddress, setAside } from "./storage.js";
import { partsOf } from "./rules.js";
import { soundOfMove } from "./sound.js";
import { createTree, find, lineThrough, pathTo } from "./tree.js";
import { attempt, trouble } from "./trouble.js";
import { currentLanguage, speak, words } from "./words.js";

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);

const tree = createTree(data.game);
const store = createStore({
  // What is shown: the game and the position of it on the board.
  tree,
  node: tree.root,
  mode: "play", // or "setup", "retry", "exercise"
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
  retry: null,
  aside: countAside(),
});
const { state } = store;

/** Changes some settings. */
const configure = (some) => store.set({ settings: { ...state.settings, ...some } });

// ---- Actions

/** Ways of putting another tree on the board: a game to look at, one that was kept, a new one. */
const ARRIVALS = ["open", "restore", "new"];

/**
 * What follows when a position comes on the board; `how`: one of `ARRIVALS`, "play", "engine", "step", "seek", "retry".
 * `byHand`: the person has moved the amazon on the board already.
 */
const moved = (node, how, byHand = how === "play") => {
  store.set({ pointed: null, pinned: null, hint: null, ending: null });
  if (ARRIVALS.includes(how) && state.mode === "setup") setEditing(false);
  // The players of a game that is looked at are not those of the page.
  if (how === "open") configure({ first: "person", second: "person", flipped: false });
  // On a phone the board may be out of sight.
  if (how === "open" || how === "new") scrollTo(0, 0);
  if (ARRIVALS.includes(how)) store.set({ advice: null, retry: null, mode: how === "new" && node.ply === 0 && state.tree.goal ? "exercise" : "play" });
  if (how === "play" && state.mode !== "retry") store.set({ advice: null });
  showPosition(how, byHand);
  if (state.mode === "retry" && how === "play") {
    learning.judge(node);
    return;
  }
  clock.moved(node, how);
  const result = resultAt(node);
  if (result && (how === "play" || how === "engine") && isPlayable(state)) finish(result);
  engine.proceed();
};

/** The game has ended just now. */
const finish = (result) => {
  if (state.tree.goal && result.winner === state.tree.goal) exercises.won(state.tree.start);
  ending.show(result);
};

const game = createGame(store, moved);

const clock = createClock(store, (side) => attempt(async () => {
  engine.stop();
  const { node } = state.tree.turn;
  node.result = { winner: otherSide(side), why: "time" };
  store.touch("node", "revision");
  // The end of the game comes on the board, wherever the person looks.
  if (state.node === node) showPosition("seek");
  else await game.seek(node);
  finish(node.result);
}));

const engine = createEngine(store, game, clock, data.max_time);

/** A game by the settings, or from the start of the one on the board with `sides` changed. */
const newGame = (query = { board: Number(state.settings.size) }, options = {}) => attempt(async () => {
  engine.stop();
  store.set({ paused: false });
  // An exercise borrowed the players.
  if (state.tree.before && !options.goal) configure(state.tree.before);
  const own = ownSide(state);
  if (own) configure({ flipped: own === "second" });
  await game.open(query, { how: "new", live: true, clock: state.settings.clock, ...options });
});

const rematch = () => {
  if (state.tree.goal) return exercises.again();
  const { first, second } = state.settings;
  configure({ first: second, second: first });
  return newGame(state.tree.live ? { position: state.tree.start } : undefined);
};

/** Back to where a person was last to move; says what the move that is taken back gave away. */
const undo = async () => {
  const alone = !isPerson(state, "first") && !isPerson(state, "second");
  const path = pathTo(state.node);
  const mine = (node) => alone || isPerson(state, node.position.to_move);
  const back = path.slice(0, -1).findLast((node) => node.position && mine(node)) ?? path[0];
  const taken = path[back.ply + 1];
  if (!taken) return;
  // Time that ran out runs again where the move is taken back.
  state.node.result = null;
  await game.seek(back, "undo");
  if (ownSide(state)) learning.advise(taken);
};

const redo = () => {
  const line = lineThrough(state.node).slice(state.node.ply + 1);
  const mine = (node) => !node.position || isPerson(state, node.position.to_move);
  return game.seek(line.find(mine) ?? line.at(-1), "step");
};

// ---- Views

const board = createBoard(at("board"), {
  mayMove: () => mayMove(state),
  move: (move) => attempt(() => game.play(move), () => showPosition("seek")),
  chosen: (step) => store.set({ step }),
  looked: (name) => store.set({ square: name ?? null }),
  put: (name) => setup.put(name),
});

let framed = "";

const showPosition = (how, byHand) => {
  const { node, tree: { width, height, frame } } = state;
  if (framed !== `${width}x${height}`) {
    framed = `${width}x${height}`;
    board.setFrame(frame, width, height);
  }
  const { fen, to_move, pieces } = node.position;
  const animated = node.move && (how === "engine" || how === "step" || how === "play");
  const lands = board.show(fen, to_move, pieces, animated ? { ...partsOf(node.move), byHand } : null);
  if (animated && state.settings.sound) soundOfMove(lands);
  if (SIZES.includes(String(width)) && width === height && (how === "open" || how === "restore")) configure({ size: String(width) });
};

createSettings(store, data.levels, (name) => {
  if (name === "size") return;
  if (name === "clock") {
    // The clock of a game that has begun stays what it is.
    if (state.tree.root.children.length === 0) state.tree.clock = state.settings.clock;
    store.touch("revision");
    return;
  }
  const own = ownSide(state);
  if (own) configure({ flipped: own === "second" });
  board.describe();
  engine.proceed();
});
createSeats(store, data.levels);
createStatus(store);
createMoves(store, game);
createPanel(store, (move) => { if (mayMove(state)) attempt(() => game.play(move, "play", false)); });
createDrawing(store, board);
createGraph(store, at("graph"), (ply) => attempt(() => game.toPly(ply)));
const ending = createEnding(store);
const review = createReview(store);
const learning = createLearning(store, game, engine);
const help = createHelp();
const exercises = createExercises(store, data.exercises, (exercise) => {
  const goal = exercise.position.split(" ")[1] === "w" ? "first" : "second";
  const { first, second, clock: time } = state.settings;
  const before = state.tree.before ?? { first, second, clock: time };
  configure({ first: goal === "first" ? "person" : "time:1", second: goal === "second" ? "person" : "time:1", clock: "0" });
  newGame({ position: exercise.position }, { goal, before });
});

store.view(["node", "revision", "mode", "language"], () => {
  const { node } = state;
  for (const id of ["home", "back", "undo"]) at(id).disabled = !node.parent;
  for (const id of ["next", "end", "redo"]) at(id).disabled = node.children.length === 0;
});
store.view(["aside"], () => { at("back-to-own").hidden = state.aside === 0; });
store.view(["search", "mode", "settings"], () => board.describe());
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
  // The editor may have left a board of another size.
  if (!on) framed = "";
  document.body.classList.toggle("editing", on);
  for (const part of document.querySelectorAll("#analysis, #record, .controls")) part.inert = on;
  scrollTo(0, 0);
};

const setup = createSetup(
  board,
  (answer) => game.load(answer, { ply: 0, live: true, clock: state.settings.clock, how: "open" }),
  () => {
    setEditing(false);
    showPosition("seek");
    engine.proceed();
  },
  trouble,
);

createFiles(store, async (text, index) => {
  const answer = await game.open({ text, board: Number(state.settings.size), ...(index === undefined ? {} : { game: index }) });
  if (!answer) return null;
  if (answer.games) return answer.games;
  // A finished game is read from its start, another goes on where it ends.
  if (isOver(state)) await game.toStart();
  engine.proceed();
  if (answer.moves.length > 1) review.begin();
  return null;
});

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
  new: () => newGame(),
  "back-to-own": () => attempt(backToOwn),
  rematch,
  "ending-review": () => {
    store.set({ ending: null });
    review.begin();
  },
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
for (const [id, action] of Object.entries(ACTIONS)) at(id).addEventListener("click", action);
for (const button of document.querySelectorAll("dialog [data-close]")) button.addEventListener("click", () => button.closest("dialog").close());

// A button that was clicked is done with: space is for analysis then.
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button")?.blur();
});

/** Pins the engine's move of this number, or lets it go. */
const pin = (index) => store.set({ pinned: state.pinned === index ? null : index });

const KEYS = {
  ArrowLeft: ACTIONS.back, ArrowRight: ACTIONS.next, Home: ACTIONS.home, End: ACTIONS.end,
  f: ACTIONS.flip, u: ACTIONS.undo, r: ACTIONS.redo, h: learning.hint, " ": engine.toggleAnalysis, "?": help.show,
  Escape: () => {
    board.cancel();
    store.set({ hint: null, pinned: null, ending: null });
  },
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  // These have such keys themselves.
  if (event.target.closest("select, textarea, input:not([type=checkbox], [type=radio])")) return;
  if (event.key === " " && event.target.closest("button, input")) return;
  const action = KEYS[event.key] || KEYS[event.key.toLowerCase()] || (/^[1-6]$/.test(event.key) && (() => pin(Number(event.key) - 1)));
  if (!action) return;
  event.preventDefault();
  action();
});

at("language").value = currentLanguage();
at("language").addEventListener("change", () => {
  speak(at("language").value);
  store.touch("language");
  if (state.mode === "setup") setup.furnish();
  else board.describe();
});

// ---- Beginning: the game of the address, else the one that was kept, else a new one

/** Opens the game of an address. It replaces the person's own, which is set aside, unless that holds it. */
const openLink = async (address, own) => {
  if (own?.tree.start === address.start && find(own.tree, address.moves)) {
    await game.restore(own.tree, address.moves.slice(0, address.at));
    return;
  }
  const answer = await game.open({ position: address.start, moves: address.moves }, { ply: address.at, linked: true });
  if (!answer || !own) return;
  setAside(own);
  store.set({ aside: countAside() });
};

/** Puts the latest game that a link has replaced back on the board. */
const backToOwn = async () => {
  const own = latestAside();
  const other = gameOf(state);
  if (own && !(await game.restore(own.tree, own.moves))) return;
  exchangeAside(other);
  configure(own?.players ?? {});
  engine.proceed();
  store.set({ aside: countAside() });
};

/** Shows the game that is there to begin with. Returns the kept game if it cannot be shown, or null. */
const begin = async () => {
  const kept = keptGame();
  const address = readAddress(location.hash, data.starts);
  let failed = !address;
  if (address) await attempt(() => openLink(address, kept), () => { failed = true; });
  if (!failed || !kept) return null;
  let unread = null;
  await attempt(() => game.restore(kept.tree, kept.moves), () => { unread = kept; });
  return unread;
};

const start = async () => {
  Object.assign(state.tree, { live: true, clock: state.settings.clock });
  showPosition("seek");
  const unread = await begin();
  const { width, height } = state.tree;
  if (width === height && SIZES.includes(String(width))) configure({ size: String(width) });
  keep(store, data.starts, lineThrough, unread);
  // Every view shows what there is.
  store.touch(...Object.keys(state), "language", "known", "revision");
};

addEventListener("hashchange", () => {
  const address = readAddress(location.hash, data.starts);
  if (address) attempt(() => openLink(address, gameOf(state)));
});

speak();
start();
