// The end of a game in words, for every page.

import { currentLanguage, words } from "./words.js";

/** A player by name, or by turn order where the match names none. */
export const playerOf = (names, side) => {
  const name = names[side === "first" ? 0 : 1];
  return name ? words().named(name, side) : words().inSentence[side];
};

/** The words in the language of the page, of a text that came in both. */
export const inLanguage = (both) => both[currentLanguage()];

/** A result of this page, for the person who plays `own` side, or for one who watches. */
export const resultText = ({ winner, why }, own) => {
  const all = words();
  const title = own ? (winner === own ? all.youWin : all.youLose) : all.sideWins(all.player[winner]);
  const loser = winner === "first" ? "second" : "first";
  return { title, reason: all.endings[why]?.(all.player[loser]) ?? "" };
};
