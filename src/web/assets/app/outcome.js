// The result of a game as text, for every page.

import { currentLanguage, words } from "./words.js";

/** Returns the name of a player, or the turn order ("first player") if the match has no name. */
export const playerOf = (names, side) => {
  const name = names[side === "first" ? 0 : 1];
  return name ? words().named(name, side) : words().inSentence[side];
};

/** Returns the text in the language of the page from an object with both languages. */
export const inLanguage = (both) => both[currentLanguage()];

/** Returns a title and a reason for a result; `own` is the user's side, or null for a spectator. */
export const resultText = ({ winner, why }, own) => {
  const all = words();
  const title = own ? (winner === own ? all.youWin : all.youLose) : all.sideWins(all.player[winner]);
  const loser = winner === "first" ? "second" : "first";
  return { title, reason: all.endings[why]?.(all.player[loser]) ?? "" };
};
