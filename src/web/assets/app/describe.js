// A match and its positions in words: the players, the result, and the board for those who cannot
// see it.

import { cellsOf, nameOf } from "./rules.js";
import { currentLanguage, words } from "./words.js";

/** A player by name, or by turn order where the match names none. */
export const playerOf = (names, side) => {
  const name = names[side === "first" ? 0 : 1];
  return name ? words().named(name, side) : words().inSentence[side];
};

/** The winner and the cause, as one sentence. */
export const resultSentence = ({ sentence }) => sentence[currentLanguage()];

/** The board of a FEN in words, with the move that led to it. */
export const boardLabel = (fen, last) => {
  const cells = cellsOf(fen);
  const squares = (piece) => cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === piece ? [nameOf([x, y])] : [])));
  const [first, second, burnt] = ["Q", "q", "*"].map(squares);
  return words().boardLabel(`${cells[0].length}x${cells.length}`, first.join(" "), second.join(" "), burnt.length, last);
};
