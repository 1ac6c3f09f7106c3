// A sentence about the position: distances to a square, the freedom of an amazon, the cost of the last move, or how the
// territory stands as a whole.

import { WORTH_A_MARK } from "./graph.js";
import { percent } from "./panel.js";
import { words } from "./words.js";

/** What there is to say of the square `name`, or of the whole board. */
export const factsOf = (game, name) => {
  const all = words();
  const { nearer, queen, king, freedom, regions } = game.here().territory;
  const free = name && (freedom.first[name] ?? freedom.second[name]);
  const index = name ? (Number(name.slice(1)) - 1) * game.width + name.charCodeAt(0) - 97 : -1;
  const pair = ({ first, second }) => `${first[index] ?? all.never} : ${second[index] ?? all.never}`;
  const reached = index >= 0 && (queen.first[index] ?? queen.second[index] ?? null) !== null;
  let text = all.nearer(nearer.first, nearer.second, nearer.even);
  if (regions.length > 1) text += ` ${all.parts(regions.length)}`;
  if (free !== undefined && name) text = all.free(name, free);
  else if (reached) text = all.distance(name, pair(queen), pair(king));
  const loss = !name && game.losses().find(({ ply }) => ply === game.ply);
  if (loss && loss.lost >= WORTH_A_MARK) {
    const played = game.moves[game.ply - 1];
    text = all.cost(played, percent(loss.lost), loss.best !== played && loss.best);
  }
  return text;
};
