// The page: who plays, what is searched, what is shown. Everything else has a module of its own.

import { createBoard } from "./board.js";
import { factsOf } from "./facts.js";
import { createGame } from "./game.js";
import { createGraph } from "./graph.js";
import { createMoves } from "./moves.js";
import { bestMoves, freedomMarks, lineOfMoves, regionMarks, territoryMarks } from "./overlays.js";
import { createPanel, percent } from "./panel.js";
import { createReview } from "./review.js";
import { search } from "./server.js";
import { createSetup } from "./setup.js";
import { createText } from "./text.js";
import { attempt, trouble } from "./trouble.js";
import { currentLanguage, speak, words } from "./words.js";

const REPORT_EVERY = 0.1;
const STRENGTHS = [
  { time: 0.1 }, { time: 0.5 }, { time: 1 }, { time: 3 }, { time: 10 }, { time: 30 },
  { playouts: 1 }, { playouts: 100 }, { playouts: 1000 }, { playouts: 10_000 }, { playouts: 100_000 },
];

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);

let analysing = false;
let editing = false;
let pointed = null;
/** The search under way: what for, where, and how to end it. */
let current = null;

// ---- What the person may do

const seatOf = () => at("seat").value;
const isPersons = (side) => seatOf() === "both" || seatOf() === side;
const engineToMove = () => !game.here().winner && !isPersons(game.here().to_move) && game.atEnd();

const game = createGame(({ board: markup }) => {
  if (markup) {
    board.setFrame(markup, game.width, game.height);
    offerSize();
    at("about").textContent = game.about.join(" ");
  }
  pointed = null;
  showPosition();
  proceed();
});

const board = createBoard(at("board"), {
  mayMove: () => !editing && !game.here().winner && isPersons(game.here().to_move) && current?.purpose !== "play",
  move: (move) => attempt(() => game.play(move), showPosition),
  chosen: () => showStatus(),
  looked: (name) => showFacts(name),
  put: (name) => setup.put(name),
});

// ---- Searching

const stop = () => {
  current?.abort.abort();
  current = null;
};

/** Searches where we stand, to play or to look. */
const begin = (purpose, limits) => {
  stop();
  const mine = { purpose, ply: game.ply, moves: game.moves.slice(0, game.ply), abort: new AbortController() };
  current = mine;
  const query = {
    position: game.start, moves: mine.moves, report_every: REPORT_EVERY, reuse: true, priority: 1, ...limits,
  };
  const run = search(query, mine.abort.signal, (answer) => {
    game.learn(mine.ply, answer);
    mine.best = answer.best;
    if (purpose === "analyse" || analysing || !answer.searching) showAnalysis();
  });
  return run
    .then(() => {
      if (current !== mine) return;
      current = null;
      if (purpose === "play" && mine.best) attempt(() => game.play(mine.best));
      else showStatus();
    })
    .catch((error) => {
      if (current === mine) current = null;
      if (error.name === "AbortError") return;
      setAnalysing(false);
      trouble(error);
      showStatus();
    });
};

/** Does what is due where we stand now: the engine's move, analysis, or nothing. */
const proceed = () => {
  stop();
  if (editing) return;
  if (engineToMove()) begin("play", STRENGTHS[at("strength").value]);
  else if (analysing && !game.here().winner) begin("analyse", { time: data.max_time });
  showStatus();
};

const setAnalysing = (on) => {
  analysing = on;
  at("analyse").setAttribute("aria-checked", on);
};

const toggleAnalysis = () => {
  setAnalysing(!analysing);
  if (current?.purpose !== "play") proceed();
  showAnalysis();
};

/** The engine's move here, whoever's turn it is; what it has found so far if it is thinking already. */
const moveNow = () => {
  if (game.here().winner || editing) return;
  if (current?.purpose === "play") {
    const best = current.best;
    stop();
    if (best) attempt(() => game.play(best));
    else begin("play", { playouts: 1 });
  } else {
    begin("play", STRENGTHS[at("strength").value]);
  }
  showStatus();
};

// ---- Showing

const showPosition = () => {
  const { fen, to_move, pieces } = game.here();
  board.show(fen, to_move, pieces);
  for (const [id, blocked] of [["home", game.ply === 0], ["back", game.ply === 0], ["next", game.atEnd()], ["end", game.atEnd()], ["undo", game.ply === 0], ["redo", game.atEnd()]]) {
    at(id).disabled = blocked;
  }
  showAnalysis();
  showMoves();
  showStatus();
  showFacts();
};

const panel = createPanel(
  (candidate) => {
    pointed = candidate || null;
    showOverlays();
  },
  (move) => {
    if (!game.here().winner && isPersons(game.here().to_move) && current?.purpose !== "play") attempt(() => game.play(move));
  },
);

const showAnalysis = () => {
  panel(game.known[game.ply]);
  showGraph();
  showOverlays();
};

const showOverlays = () => {
  if (editing) {
    board.draw("under", "");
    board.draw("over", "");
    return;
  }
  const known = game.known[game.ply];
  const { territory, to_move } = game.here();
  const on = (id) => at(`show-${id}`).checked;
  const under = [on("territory") && territoryMarks(territory, game.width)];
  const thoughts = pointed ? lineOfMoves(pointed.line, to_move) : on("arrows") && known && !mayBeGuessed() ? bestMoves(known.moves) : "";
  const over = [on("regions") && regionMarks(territory), on("freedom") && freedomMarks(territory), thoughts];
  board.draw("under", under.filter(Boolean).join(""));
  board.draw("over", over.filter(Boolean).join(""));
};

/** Whether arrows would be in the way of who plays without asking for analysis. */
const mayBeGuessed = () => !analysing && game.atEnd() && !game.here().winner && seatOf() !== "none";

const showGraph = () => {
  const known = game.known[game.ply];
  const chance = known && percent(known.first);
  graph(game, words().graphLabel(game.ply, game.moves.length, chance));
};

const showStatus = () => {
  const all = words();
  const { winner, to_move } = game.here();
  const thinking = current?.purpose === "play";
  const behind = !game.atEnd() && !isPersons(to_move);
  let text = all.watching(all.player[to_move]);
  if (editing) text = all.setupTitle;
  else if (winner) text = all.wins(all.player[winner]);
  else if (thinking) text = all.engineThinks(all.player[to_move]);
  else if (behind) text = all.behind;
  else if (isPersons(to_move)) text = { amazon: all.choose(all.player[to_move]), target: all.chooseTarget, arrow: all.chooseArrow }[board.step()];
  if (at("status").textContent !== text) at("status").textContent = text;
  at("move-now").textContent = thinking ? all.moveNowBusy : all.moveNow;
  at("move-now").disabled = Boolean(winner) || editing;
  showSeats(thinking);
};

const showSeats = (thinking) => {
  const all = words();
  const mirrored = at("board").classList.contains("mirrored");
  for (const [id, side] of [["seat-top", mirrored ? "second" : "first"], ["seat-bottom", mirrored ? "first" : "second"]]) {
    const turn = !game.here().winner && game.here().to_move === side;
    const who = isPersons(side) ? all.person : all.engine;
    const symbol = side === "first" ? "q0" : "q1";
    const mark = `${game.here().winner === side ? "★ " : ""}${turn && thinking ? `${all.thinking} …` : ""}`;
    at(id).className = turn ? "seat turn" : "seat";
    at(id).innerHTML = `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#board-${symbol}"/></svg><b></b><span></span><i></i>`;
    at(id).querySelector("b").textContent = all.player[side];
    at(id).querySelector("span").textContent = who;
    at(id).querySelector("i").textContent = mark;
  }
};

const showFacts = (name) => {
  at("facts").textContent = factsOf(game, name);
};

const showMoves = createMoves(at("moves"), game);

const review = createReview(at("review"), game, (ply) => {
  showMoves();
  if (ply === game.ply) showAnalysis();
  else showGraph();
});

const graph = createGraph(at("graph"), (ply) => game.seek(ply));

// ---- Steps

const stepTo = (ply) => {
  if (!editing) game.seek(ply);
};

/** Back to where the person last was to move. */
const undo = () => {
  const mine = (ply) => isPersons(game.positions[ply].to_move);
  let ply = game.ply - 1;
  while (ply > 0 && seatOf() !== "none" && !mine(ply)) ply--;
  stepTo(ply);
};

const redo = () => {
  const mine = (ply) => isPersons(game.positions[ply].to_move);
  let ply = game.ply + 1;
  while (ply < game.moves.length && seatOf() !== "none" && !mine(ply)) ply++;
  stepTo(ply);
};

const mirror = (on) => {
  board.mirror(on);
  showSeats(current?.purpose === "play");
};

const flip = () => mirror(!at("board").classList.contains("mirrored"));

// ---- Setting up, pasting, copying

const setEditing = (on) => {
  stop();
  editing = on;
  board.edit(on);
  at("setup").hidden = !on;
  at("game").hidden = on;
  document.body.classList.toggle("editing", on);
};

const setup = createSetup(
  board,
  (answer) => {
    setEditing(false);
    at("seat").value = "both";
    game.load(answer);
  },
  () => {
    setEditing(false);
    attempt(() => game.open({ position: game.start, moves: game.moves }));
  },
  trouble,
);

const openSetup = () => {
  if (editing) return;
  setEditing(true);
  setup.open(game.here().fen);
  showOverlays();
  showStatus();
};

createText(game, async (text) => {
  const before = { seat: seatOf(), editing };
  // A game that is looked at is nobody's to play.
  at("seat").value = "both";
  setEditing(false);
  try {
    await game.open({ text, board: Number(at("size").value) });
  } catch (error) {
    at("seat").value = before.seat;
    setEditing(before.editing);
    if (!editing) showPosition();
    proceed();
    throw error;
  }
  if (game.moves.length > 1) {
    game.seek(0);
    review.begin();
  }
});

// ---- Wiring

for (const [id, action] of Object.entries({
  home: () => stepTo(0),
  back: () => stepTo(game.ply - 1),
  next: () => stepTo(game.ply + 1),
  end: () => stepTo(game.moves.length),
  undo,
  redo,
  flip,
  "move-now": moveNow,
  analyse: toggleAnalysis,
  new: () => {
    mirror(seatOf() !== "second");
    attempt(() => game.open({ board: Number(at("size").value) }));
  },
  "open-setup": openSetup,
})) {
  at(id).addEventListener("click", action);
}
at("seat").addEventListener("change", () => {
  if (seatOf() === "first" || seatOf() === "second") mirror(seatOf() === "first");
  showPosition();
  proceed();
});
for (const id of ["arrows", "territory", "freedom", "regions"]) at(`show-${id}`).addEventListener("change", showOverlays);

// A button that was clicked is done with: space is for analysis then.
document.addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button")?.blur();
});

const KEYS = {
  ArrowLeft: () => stepTo(game.ply - 1),
  ArrowRight: () => stepTo(game.ply + 1),
  Home: () => stepTo(0),
  End: () => stepTo(game.moves.length),
  f: flip,
  u: undo,
  r: redo,
  " ": toggleAnalysis,
  Escape: () => board.cancel(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || at("text").open) return;
  // These have such keys themselves.
  if (event.target.closest("select, textarea") || (event.key === " " && event.target.closest("button, input"))) return;
  const action = KEYS[event.key] || KEYS[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});

/** A new game is on the board of this one, if there is a start on it. */
const offerSize = () => {
  const side = String(game.width === game.height && game.width);
  if ([...at("size").options].some(({ value }) => value === side)) at("size").value = side;
};

const furnish = () => {
  const all = words();
  const chosen = at("strength").value || "2";
  at("strength").replaceChildren(...STRENGTHS.map(({ time, playouts }, index) =>
    new Option(time ? all.seconds(time) : all.playouts(playouts.toLocaleString("en")), index)));
  at("strength").value = chosen;
};

at("language").value = currentLanguage();
at("language").addEventListener("change", () => {
  speak(at("language").value);
  furnish();
  if (editing) setup.furnish();
  else showPosition();
  review.show();
});

speak();
furnish();
board.mirror(true);
game.load(data.game);
