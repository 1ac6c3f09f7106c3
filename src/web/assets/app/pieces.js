// The pieces of a position, drawn with the symbols of the server's board renderer.

import { cellsOf, layoutOf, partsOf, squareOf } from "./rules.js";

/** The cells after these moves from a FEN. */
export const cellsAfter = (start, moves) => {
  const cells = cellsOf(start);
  for (const move of moves) {
    const { from, to, arrow } = partsOf(move);
    const [[fx, fy], [tx, ty], [ax, ay]] = [from, to, arrow].map(squareOf);
    cells[ty][tx] = cells[fy][fx];
    cells[fy][fx] = "";
    cells[ay][ax] = "*";
  }
  return cells;
};

/** The content of the picture's element of class `board-pieces`, with the move that led here, if any. */
export const piecesOf = (cells, last) => {
  const { corner, middle } = layoutOf(cells.length);
  const uses = { "*": [], Q: [], q: [] };
  const symbols = { "*": "x", Q: "q0", q: "q1" };
  cells.forEach((row, y) => row.forEach((cell, x) => {
    if (cell) uses[cell].push(`<use href="#board-${symbols[cell]}" x="${x * 10}" y="${(cells.length - 1 - y) * 10}"/>`);
  }));
  let [left, marks] = ["", ""];
  if (last) {
    const { from, to, arrow } = partsOf(last);
    const [[x, y], [ax, ay]] = [corner(from), corner(arrow)];
    const [start, stand, end] = [from, to, arrow].map((name) => middle(name).join(" "));
    left = `<rect class="board-left" x="${x}" y="${y}" width="10" height="10"/>`;
    marks = `<rect class="board-fresh" x="${ax + 1}" y="${ay + 1}" width="8" height="8" rx="1.2"/>` +
      `<path class="board-path" d="M${start}L${stand}"/><path class="board-shot" d="M${stand}L${end}"/>`;
  }
  return left + uses["*"].join("") + marks + uses.Q.join("") + uses.q.join("");
};
