// Starts the page: creates its state, the store, and the modules that read and change the store.

import { askCatalogue } from "./backend.js";
import { createClock } from "./clock.js";
import { createControls } from "./controls.js";
import { createBoardMarks } from "./drawing.js";
import { byId } from "./elements.js";
import { createResultBox } from "./ending.js";
import { createEngine } from "./engine.js";
import { createExercises } from "./exercises.js";
import { createFiles } from "./files.js";
import { createGameOpener } from "./first-game.js";
import { createGame } from "./game.js";
import { createGraph } from "./graph.js";
import { createHelp } from "./help.js";
import { createLearningAids } from "./learn.js";
import { createMoveList } from "./moves.js";
import { chosenPlayers, createNewGameDialog } from "./newgame.js";
import { createAnalysisPanel } from "./panel.js";
import { createPlay, today } from "./play.js";
import { createPlayerBars } from "./player-bars.js";
import { connectBoard } from "./position.js";
import { createReview } from "./review.js";
import { createRulesPictures } from "./rules-pictures.js";
import { createSettings, initialSettings } from "./settings.js";
import { createPositionSetup } from "./setup.js";
import { createStatus } from "./status.js";
import { replacedCount, storeGameOnChange } from "./storage.js";
import { createStore } from "./store.js";
import { createTasks } from "./tasks.js";
import { createTree } from "./tree.js";
import { listenToLanguage, useLanguage } from "./words.js";

// Fills the page with texts now, so that they appear before the engine has answered.
useLanguage();
const catalogue = await askCatalogue().catch((error) => {
  byId("status").textContent = error.message;
  throw error;
});

const settings = initialSettings(catalogue);
const tree = { ...createTree(catalogue.game), live: true, date: today(), clock: settings.clock, players: chosenPlayers(settings) };
const store = createStore({
  // The engine's levels and exercises, and the start position of each board size.
  catalogue,
  // `tree` is the game on the page, and `node` is the position on the board.
  tree,
  node: tree.root,
  mode: "play", // or "setup", "task"
  settings,
  ending: null,
  clocks: null,
  paused: false,
  // `search` is the engine's search in progress, and `reviewing` is the progress of a review.
  search: null,
  analysing: false,
  reviewing: null,
  // What the user has requested or points to, such as a hint or a row of the table of best moves.
  pointed: null,
  square: null,
  step: "amazon",
  hint: null,
  advice: null,
  task: null,
  waiting: null, // the node of a move that could not be sent yet
  replaced: replacedCount(),
});

const game = createGame(store);
const board = connectBoard(store, game);
const clock = createClock(store);
const play = createPlay(store, game);
const engine = createEngine(store, game, clock);
const review = createReview(store);
const tasks = createTasks(store, game);
createLearningAids(store, game, engine, tasks);
createExercises(store, game, play, tasks);
createResultBox(store);
createPositionSetup(store, board, game);
createNewGameDialog(store, play);
createSettings(store);
createPlayerBars(store);
createStatus(store);
createMoveList(store, game);
createAnalysisPanel(store, game);
createBoardMarks(store, board);
createGraph(store, game);
createRulesPictures(store);
createHelp();
createControls(store, game, board);
const files = createFiles(store, game, review);
const firstGameOpener = createGameOpener(store, game, files.choose);
listenToLanguage(() => store.touch("language"));

game.renew();
storeGameOnChange(store, await firstGameOpener.begin());
// Marks all values of the state as changed, so that every view is drawn for the first time.
store.touch(...Object.keys(store.state), "language", "analysis", "revision");
