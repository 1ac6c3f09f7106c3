// As much of the rules as the page needs to show at once where a piece may go. The engine
// checks every move.

/** The side of a square in drawings. */
export const CELL = 10;

/** The cells of a FEN, row by row from a1: "Q", "q", "*" or "". */
export const cellsOf = (fen) => {
  const rows = fen.split(" ")[0].split("/").reverse();
  return rows.map((row) => row.match(/\d+|./g).flatMap((part) => (/\d/.test(part) ? Array(Number(part)).fill("") : [part])));
};

/** The FEN of cells with a side to move, "w" or "b". */
export const fenOf = (cells, side) => {
  const row = (line) => line.map((cell) => cell || ".").join("").replace(/\.+/g, (run) => run.length);
  return `${[...cells].reverse().map(row).join("/")} ${side} - - 0 1`;
};

/** The name of a square, by column and row from 0. @type {(place: number[]) => string} */
export const nameOf = ([x, y]) => String.fromCharCode(97 + x) + (y + 1);

export const squareOf = (name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

/** Where squares are in the drawing of a board of this height, which has row 1 below. */
export const layoutOf = (height) => {
  const corner = (name) => {
    const [x, y] = squareOf(name);
    return [x * CELL, (height - 1 - y) * CELL];
  };
  return { corner, middle: (name) => corner(name).map((at) => at + CELL / 2) };
};

/** "d1-d7/g7" as names of squares. */
export const partsOf = (move) => {
  const [from, to, arrow] = move.split(/[-/]/);
  return { from, to, arrow };
};

/** The names of the squares that a queen or an arrow reaches from a square; `leaving` counts as empty. */
export const reach = (cells, name, leaving) => {
  const [x, y] = squareOf(name);
  const found = [];
  for (const [dx, dy] of [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]]) {
    for (let step = 1; ; step++) {
      const at = [x + step * dx, y + step * dy];
      const cell = cells[at[1]]?.[at[0]];
      if (cell === undefined || (cell !== "" && nameOf(at) !== leaving)) break;
      found.push(nameOf(at));
    }
  }
  return found;
};
