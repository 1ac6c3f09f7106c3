// Lets the user set up a position. The user chooses a piece in the palette, and clicks squares to
// put the piece there. The engine checks the position, and the page checks that a game can begin.

import { askGame } from "./backend.js";
import { byId, selectAll } from "./elements.js";
import { today } from "./play.js";
import { cellsOf, fenOf, squareOf } from "./rules.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

/** Returns the reason why no game can begin from a position, or null if a game can begin. */
const whyNoGame = (cells, answer) => {
  const all = words();
  const missing = [["Q", "first"], ["q", "second"]].find(([piece]) => !cells.flat().includes(piece));
  if (missing) return all.noAmazon(all.player[missing[1]]);
  const { winner, to_move } = answer.positions[0];
  return winner ? all.noMoveAtStart(all.player[to_move]) : null;
};

export const createPositionSetup = (store, board, game) => {
  const { state } = store;
  let cells = [];
  let tool = "Q";

  const draw = () => board.show(fenOf(cells, byId("setup-side").value), "none");

  const resize = (width, height) => {
    cells = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => cells[y]?.[x] || ""));
    draw();
  };

  for (const id of ["setup-width", "setup-height"]) {
    for (const side of ["4", "5", "6", "7", "8", "9", "10"]) byId(id).add(new Option(side, side));
    byId(id).addEventListener("change", () => resize(Number(byId("setup-width").value), Number(byId("setup-height").value)));
  }

  const drawPalette = () => {
    const all = words();
    const kinds = [["Q", all.q0, "q0"], ["q", all.q1, "q1"], ["*", all.burnt, "x"], ["", all.empty, ""]];
    byId("palette").innerHTML = kinds.map(([kind, name, symbol]) =>
      `<button type="button" role="radio" aria-checked="${kind === tool}" title="${name}" aria-label="${name}" data-kind="${kind}">` +
      `<svg viewBox="0 0 10 10" aria-hidden="true">${symbol && `<use href="#board-${symbol}"/>`}</svg></button>`).join("");
  };
  const choose = (button) => {
    tool = button.dataset.kind;
    for (const other of byId("palette").children) other.setAttribute("aria-checked", other === button);
  };
  onClick("palette", ({ target }) => {
    const button = target.closest("button");
    if (button) choose(button);
  });
  byId("palette").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...byId("palette").children];
    const next = buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length);
    event.preventDefault();
    event.stopPropagation();
    next.focus();
    choose(next);
  });

  store.view(["language"], drawPalette);
  store.view(["mode"], () => {
    const isOpen = state.mode === "setup";
    if (isOpen !== byId("setup").hidden) return;
    byId("setup").hidden = !isOpen;
    byId("game").hidden = isOpen;
    document.body.classList.toggle("editing", isOpen);
    for (const part of selectAll("#analysis, #record, .controls")) part.inert = isOpen;
    scrollTo(0, 0);
  });
  // A move that reaches the server late shows its position, which would hide the set-up.
  store.on("moved", () => { if (state.mode === "setup") draw(); });
  store.on("put", (name) => {
    const [x, y] = squareOf(name);
    cells[y][x] = tool;
    draw();
  });

  onClick("open-setup", () => {
    if (state.mode === "setup") return;
    const { fen } = state.node.position;
    store.set({ mode: "setup", hint: null });
    cells = cellsOf(fen);
    byId("setup-side").value = fen.split(" ")[1];
    byId("setup-width").value = cells[0].length;
    byId("setup-height").value = cells.length;
    draw();
  });
  onClick("setup-clear", () => {
    cells = cells.map((row) => row.map(() => ""));
    draw();
  });
  onClick("setup-cancel", () => {
    store.set({ mode: state.task ? "task" : "play" });
    game.renew();
  });
  onClick("setup-done", async () => {
    const answer = await askGame({ game: { position: fenOf(cells, byId("setup-side").value) } });
    const empty = whyNoGame(cells, answer);
    if (empty) throw new Error(empty);
    const { clock, players } = state.tree;
    game.load(answer, { ply: 0, live: true, date: today(), clock, players });
  });
};
