// Reads FEN and moves, and finds the squares that an amazon or arrow can reach. The page does this
// itself to respond without delay. The engine still checks every move.

/** The side length of a square in SVG units. */
export const CELL_SIZE = 10;

/** Returns the board of a FEN as a list of rows, with row 1 first. Each cell is "Q", "q", "*" (a
 * burnt square) or "" (an empty square). */
export const cellsOf = (fen) => {
  const rows = fen.split(" ")[0].split("/").reverse();
  return rows.map((row) => row.match(/\d+|./g).flatMap((part) => (/\d/.test(part) ? Array(Number(part)).fill("") : [part])));
};

/** Returns the FEN of a board's cells and the side to move, "w" or "b". */
export const fenOf = (cells, side) => {
  const row = (line) => line.map((cell) => cell || ".").join("").replace(/\.+/g, (run) => run.length);
  return `${[...cells].reverse().map(row).join("/")} ${side} - - 0 1`;
};

/** Returns the name of a square from its column and row, which count from 0.
 * @type {(place: number[]) => string} */
export const nameOf = ([x, y]) => String.fromCharCode(97 + x) + (y + 1);

export const squareOf = (name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

/** Returns two functions for a board of this height: `corner` and `middle` give the coordinates of
 * a square's upper left corner and of its centre, in SVG units. Row 1 is at the bottom. */
export const layoutOf = (height) => {
  const corner = (name) => {
    const [x, y] = squareOf(name);
    return [x * CELL_SIZE, (height - 1 - y) * CELL_SIZE];
  };
  return { corner, middle: (name) => corner(name).map((at) => at + CELL_SIZE / 2) };
};

/** Splits a move such as "d1-d7/g7" into the names of its three squares. */
export const partsOf = (move) => {
  const [from, to, arrow] = move.split(/[-/]/);
  return { from, to, arrow };
};

/** Returns the names of the squares that an amazon or an arrow can reach from a square. For an
 * arrow, `leaving` is the square that its amazon has just left, which counts as empty. */
export const reachableSquares = (cells, name, leaving) => {
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
