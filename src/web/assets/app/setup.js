// Setting up a position: a click puts down what is chosen in the palette. The engine says whether
// it is a position, the page whether there is a game in it.

import { askGame } from "./backend.js";
import { at, element } from "./elements.js";
import { cellsOf, fenOf, squareOf } from "./rules.js";
import { words } from "./words.js";

/** Why there is no game in a position, or null: a side without an amazon, or a side to move without a move. */
export const emptiness = (cells, answer) => {
  const all = words();
  const missing = [["Q", "first"], ["q", "second"]].find(([piece]) => !cells.flat().includes(piece));
  if (missing) return all.noAmazon(all.player[missing[1]]);
  const { winner, to_move } = answer.positions[0];
  return winner ? all.noMoveAtStart(all.player[to_move]) : null;
};

/** The editor; `done(answer)` gets the game that begins with the position, `trouble(error)` what is wrong with it. */
export const createSetup = (board, done, closed, trouble) => {
  let cells = [];
  let tool = "Q";

  const draw = () => board.show(fenOf(cells, at("setup-side").value), "none");

  /** Another size: what fits stays. */
  const resize = (width, height) => {
    cells = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => cells[y]?.[x] || ""));
    board.setFrame(width, height);
    draw();
  };

  for (const id of ["setup-width", "setup-height"]) {
    for (const side of ["4", "5", "6", "7", "8", "9", "10"]) at(id).add(new Option(side, side));
    at(id).addEventListener("change", () => resize(Number(at("setup-width").value), Number(at("setup-height").value)));
  }

  /** The palette, with the board's own pieces. */
  const furnish = () => {
    const all = words();
    const kinds = [["Q", all.q0, "q0"], ["q", all.q1, "q1"], ["*", all.burnt, "x"], ["", all.empty, ""]];
    at("palette").replaceChildren(...kinds.map(([kind, name, symbol]) => {
      const button = element("button");
      button.title = name;
      button.setAttribute("aria-label", name);
      button.setAttribute("role", "radio");
      button.setAttribute("aria-checked", String(kind === tool));
      button.innerHTML = `<svg viewBox="0 0 10 10" aria-hidden="true">${symbol && `<use href="#board-${symbol}"/>`}</svg>`;
      button.addEventListener("click", () => { tool = kind; furnish(); });
      return button;
    }));
  };

  at("setup-clear").addEventListener("click", () => {
    cells = cells.map((row) => row.map(() => ""));
    draw();
  });
  at("setup-cancel").addEventListener("click", () => closed());
  at("setup-done").addEventListener("click", async () => {
    try {
      const answer = await askGame({ game: { position: fenOf(cells, at("setup-side").value) } });
      const empty = emptiness(cells, answer);
      if (empty) throw new Error(empty);
      done(answer);
    } catch (error) {
      trouble(error);
    }
  });

  return {
    furnish,
    /** Begins with this position. */
    open: (fen) => {
      cells = cellsOf(fen);
      at("setup-side").value = fen.split(" ")[1];
      at("setup-width").value = cells[0].length;
      at("setup-height").value = cells.length;
      furnish();
      draw();
    },
    put: (name) => {
      const [x, y] = squareOf(name);
      cells[y][x] = tool;
      draw();
    },
  };
};
