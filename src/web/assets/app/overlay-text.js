// Writes a sentence on the distances, the mobility or the territory in a position.

import { nearerSide } from "./overlays.js";
import { words } from "./words.js";

/** Returns a sentence about the square `name`, or about the whole board if `name` is null. */
export const squareOrBoardText = ({ node, tree, analysing }, name) => {
  const all = words();
  const { nearer, queen, king, freedom, regions } = node.position.territory;
  const free = name && (freedom.first[name] ?? freedom.second[name]);
  const index = name ? (Number(name.slice(1)) - 1) * tree.width + name.charCodeAt(0) - 97 : -1;
  const pair = ({ first, second }) => `${first[index] ?? all.never} : ${second[index] ?? all.never}`;
  const reached = index >= 0 && (queen.first[index] ?? queen.second[index] ?? null) !== null;
  if (free !== undefined && name) return all.free(name, free);
  if (reached) return analysing ? all.distance(name, pair(queen), pair(king)) : all.closer(name, nearerSide(queen, index));
  const parts = regions.length > 1 ? ` ${all.parts(regions.length)}` : "";
  return all.nearer(nearer.first, nearer.second, nearer.even) + parts;
};
