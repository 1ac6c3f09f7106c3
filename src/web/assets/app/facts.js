// A sentence about the position: distances to a square, the freedom of an amazon, the cost of the
// last move, or how the territory stands as a whole.

import { WORTH_A_MARK } from "./graph.js";
import { percent } from "./panel.js";
import { lostBy } from "./tree.js";
import { words } from "./words.js";

/** What there is to say of the square `name`, or of the whole board. */
export const factsOf = ({ node, tree }, name) => {
  const all = words();
  const { nearer, queen, king, freedom, regions } = node.position.territory;
  const free = name && (freedom.first[name] ?? freedom.second[name]);
  const index = name ? (Number(name.slice(1)) - 1) * tree.width + name.charCodeAt(0) - 97 : -1;
  const pair = ({ first, second }) => `${first[index] ?? all.never} : ${second[index] ?? all.never}`;
  const reached = index >= 0 && (queen.first[index] ?? queen.second[index] ?? null) !== null;
  if (free !== undefined && name) return all.free(name, free);
  if (reached) return all.distance(name, pair(queen), pair(king));
  const lost = name ? null : lostBy(node);
  if (lost !== null && lost >= WORTH_A_MARK) {
    const { best } = node.parent.known;
    return all.cost(node.move, percent(lost), best !== node.move && best);
  }
  const parts = regions.length > 1 ? ` ${all.parts(regions.length)}` : "";
  return all.nearer(nearer.first, nearer.second, nearer.even) + parts;
};
