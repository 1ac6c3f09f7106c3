// Draws the board as SVG for all pages, with a description for screen readers.
//
// `a1` is at the bottom left. The first player's amazons are dark, and their crowns have three
// points. The second player's amazons are light, and their crowns have two points. Burnt squares
// are dark with a cross. So no meaning depends on hue. A solid line shows the path of the last
// move's amazon, and a dotted line shows the path of its arrow. board.css has the colours.

import { CELL_SIZE, cellsOf, layoutOf, nameOf, partsOf, squareOf } from "./rules.js";
import { words } from "./words.js";

/** Widths of the board's margins in SVG units. NAME_MARGIN is for the names of rows or columns. */
export const NAME_MARGIN = 5;
export const NAMELESS_MARGIN = 1;

/** SVG symbols of the amazons and the burnt square, each in the area from (0,0) to (10,10). */
const SYMBOLS =
  '<defs><g id="board-q0"><circle class="board-shade" cx="5" cy="5.4" r="4.2"/><circle class="board-token-0" cx="5" cy="5" r="4.1"/>' +
  '<path class="board-crown-0" d="M2.1 3.3 3.5 4.9 5 1.9 6.5 4.9 7.9 3.3 7.1 6.8H2.9ZM2.9 7.2H7.1V8H2.9Z"/></g>' +
  '<g id="board-q1"><circle class="board-shade" cx="5" cy="5.4" r="4.2"/><circle class="board-token-1" cx="5" cy="5" r="4.1"/>' +
  '<path class="board-crown-1" d="M2.7 2.6 5 5.3 7.3 2.6 7.1 6.8H2.9ZM2.9 7.2H7.1V8H2.9Z"/></g>' +
  '<g id="board-x"><rect class="board-ash" x=".5" y=".5" width="9" height="9" rx="1.4"/>' +
  '<path class="board-ember" d="M3.2 3.2 6.8 6.8M6.8 3.2 3.2 6.8"/></g></defs>';

const range = (length) => Array.from({ length }, (_, index) => index);

/** Draws the squares of a board. `a1` is dark, as on a chessboard. */
const drawSquares = (width, height) => {
  const dark = range(height).flatMap((y) => range(width).filter((x) => (x + height - 1 - y) % 2 === 0)
    .map((x) => `M${x * CELL_SIZE} ${y * CELL_SIZE}h${CELL_SIZE}v${CELL_SIZE}h-${CELL_SIZE}z`));
  const whole = `M0 0H${width * CELL_SIZE}V${height * CELL_SIZE}H0Z`;
  return `<path class="board-pale" d="${whole}"/><path class="board-deep" d="${dark.join("")}"/><path class="board-rim" d="${whole}"/>`;
};

/** Draws a board without pieces. Its element `.board-pieces` is for the result of `drawPieces`. */
const drawEmptyBoard = (width, height) => {
  const middle = (index) => index * CELL_SIZE + CELL_SIZE / 2;
  const letters = range(width).map((x) => `<text class="board-name" x="${middle(x)}" y="${height * CELL_SIZE}" dy="3.6">${nameOf([x, 0])[0]}</text>`);
  const numbers = range(height).map((y) => `<text class="board-name" x="-2.6" y="${middle(y) + 1.2}">${height - y}</text>`);
  const box = [-NAME_MARGIN, -NAMELESS_MARGIN, width * CELL_SIZE + NAME_MARGIN + NAMELESS_MARGIN, height * CELL_SIZE + NAME_MARGIN + NAMELESS_MARGIN].join(" ");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="${box}" role="img">${SYMBOLS}${drawSquares(width, height)}` +
    `${[...letters, ...numbers].join("")}<g class="board-pieces"></g></svg>`
  );
};

/** Draws an empty board for `cells` in the element `box`, unless it has a board of equal size.
 * Returns true if a board was drawn. */
export const ensureBoard = (box, cells) => {
  const [width, height] = [cells[0].length, cells.length];
  if (box.dataset.size === `${width}x${height}`) return false;
  box.dataset.size = `${width}x${height}`;
  box.innerHTML = drawEmptyBoard(width, height);
  return true;
};

const cellsAfter = (start, moves) => {
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

export const drawPieces = (cells, last) => {
  const { corner, middle } = layoutOf(cells.length);
  const uses = { "*": [], Q: [], q: [] };
  const symbols = { "*": "x", Q: "q0", q: "q1" };
  cells.forEach((row, y) => row.forEach((cell, x) => {
    const [left, top] = corner(nameOf([x, y]));
    if (cell) uses[cell].push(`<use href="#board-${symbols[cell]}" x="${left}" y="${top}"/>`);
  }));
  let [left, marks] = ["", ""];
  if (last) {
    const { from, to, arrow } = partsOf(last);
    const [[x, y], [ax, ay]] = [corner(from), corner(arrow)];
    const [start, stand, end] = [from, to, arrow].map((name) => middle(name).join(" "));
    // The arrow can burn the square that the amazon left, so burnt squares are drawn over the mark.
    left = `<rect class="board-left" x="${x}" y="${y}" width="10" height="10"/>`;
    marks = `<rect class="board-fresh" x="${ax + 1}" y="${ay + 1}" width="8" height="8" rx="1.2"/>` +
      `<path class="board-path" d="M${start}L${stand}"/><path class="board-shot" d="M${stand}L${end}"/>`;
  }
  return left + uses["*"].join("") + marks + uses.Q.join("") + uses.q.join("");
};

/** Draws a small board with SVG `marks`. The page must also have a large board, because only a
 * large board defines the `SYMBOLS` of the pieces. */
export const smallPicture = (fen, marks = "") => {
  const cells = cellsOf(fen);
  const [width, height] = [cells[0].length, cells.length];
  return `<svg viewBox="0 0 ${width * CELL_SIZE} ${height * CELL_SIZE}" aria-hidden="true">${drawSquares(width, height)}${drawPieces(cells)}${marks}</svg>`;
};

const boardLabel = (cells, last) => {
  const squares = (piece) => cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === piece ? [nameOf([x, y])] : [])));
  const [first, second, burnt] = ["Q", "q", "*"].map(squares);
  return words().boardLabel(`${cells[0].length}x${cells.length}`, first.join(" "), second.join(" "), burnt.length, last);
};

export const showPicture = (box, start, moves) => {
  const cells = cellsAfter(start, moves);
  ensureBoard(box, cells);
  box.querySelector(".board-pieces").innerHTML = drawPieces(cells, moves.at(-1));
  box.firstElementChild.setAttribute("aria-label", boardLabel(cells, moves.at(-1)));
};
