// Writes the result of a game as text, for all pages.

import { currentLanguage, words } from "./words.js";

/** Returns a text for a side's player: "Ada (first)", or "first player" if no name is known. */
export const playerOf = (names, side) => {
  const name = names[side === "first" ? 0 : 1];
  return name ? words().named(name, side) : words().inSentence[side];
};

export const inLanguage = (both) => both[currentLanguage()];

/** Returns a title ("You win.") and a reason for a result. `own` is the user's side, or null. */
export const resultText = ({ winner, why }, own) => {
  const all = words();
  const title = own ? (winner === own ? all.youWin : all.youLose) : all.sideWins(all.player[winner]);
  const loser = winner === "first" ? "second" : "first";
  return { title, reason: all.endings[why]?.(all.player[loser]) ?? "" };
};
