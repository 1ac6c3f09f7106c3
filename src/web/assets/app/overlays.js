// What is drawn over and under the pieces, as SVG: the engine's moves, distances, freedom, regions. A square is 10 wide.
// Nothing depends on hue: rank shows in width and numbers, sides in dark and light as their amazons.

import { partsOf, squareOf } from "./rules.js";

const middle = (name) => squareOf(name).map((at) => at * 10 + 5);
const fixed = (number) => number.toFixed(2);

/** A line from point to point, moved to its right. */
const beside = ([x0, y0], [x1, y1], aside) => {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(aside * (y0 - y1)) / length, (aside * (x1 - x0)) / length];
  return [[x0 + dx, y0 + dy], [x1 + dx, y1 + dy]];
};

/** A queen's way from square to square, `aside` of the middle line. */
const way = (from, to, width, className, aside = 0) => {
  const [[x0, y0], [x1, y1]] = beside(middle(from), middle(to), aside);
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = 1.6 + width;
  const [bx, by] = [x1 - dx * head, y1 - dy * head];
  const half = 0.9 + width * 0.75;
  const shaft = `M${fixed(x0 + dx * 3)} ${fixed(y0 + dy * 3)}L${fixed(bx + dx * 0.2)} ${fixed(by + dy * 0.2)}`;
  const tip = `M${x1} ${y1}L${fixed(bx - dy * half)} ${fixed(by + dx * half)}L${fixed(bx + dy * half)} ${fixed(by - dx * half)}Z`;
  return `<path class="${className}" d="${shaft}" stroke-width="${fixed(width)}"/><path class="${className} tip" d="${tip}"/>`;
};

const shot = (from, to, width, className, aside = 0) => {
  const [[x0, y0], [x1, y1]] = beside(middle(from), middle(to), aside);
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const line = `M${fixed(x0 + dx * 1.5)} ${fixed(y0 + dy * 1.5)}L${fixed(x1 - dx * 2.3)} ${fixed(y1 - dy * 2.3)}`;
  return `<path class="${className} dashed" d="${line}" stroke-width="${fixed(width)}"/>`;
};

/** A full move. An arrow shot back the way its queen came would hide under her: both keep to their right. */
const drawn = (move, width, arrowWidth, className) => {
  const { from, to, arrow } = partsOf(move);
  const [[x0, y0], [x1, y1], [x2, y2]] = [from, to, arrow].map(middle);
  const [ax, ay, bx, by] = [x1 - x0, y1 - y0, x2 - x1, y2 - y1];
  const aside = ax * by === ay * bx && ax * bx + ay * by < 0 ? 1.5 : 0;
  return way(from, to, width, className, aside) + shot(to, arrow, arrowWidth, className, aside);
};

const badge = (name, text, className) => {
  const [x, y] = middle(name);
  return `<circle class="${className} disc" cx="${x}" cy="${y}" r="2.2"/><text class="${className} mark" x="${x}" y="${y + 1.05}">${text}</text>`;
};

/** The best moves as arrows; the more visits, the wider. */
export const bestMoves = (moves) => {
  const most = Math.max(1, ...moves.map(({ visits }) => visits));
  const shown = moves.slice(0, 4).filter(({ visits }, index) => index === 0 || visits >= most / 12);
  const groups = shown.map(({ move, visits }, index) => {
    const width = 0.7 + 1.3 * Math.sqrt(visits / most);
    const lines = (className) => drawn(move, width, Math.max(0.7, width * 0.6), className);
    return `<g class="rank-${index}">${lines("casing")}${lines("think")}</g>`;
  });
  // The best is drawn last, on top; of numbers on one square it has the first.
  const numbered = new Map(shown.map(({ move }, index) => [partsOf(move).arrow, index + 1]).reverse());
  return groups.reverse().join("") + [...numbered].map(([name, rank]) => badge(name, rank, "think")).join("");
};

/** A line of moves, each with its number; dark for the first player, light for the second. */
export const lineOfMoves = (line, toMove) => {
  const sides = toMove === "first" ? ["dark", "pale"] : ["pale", "dark"];
  const groups = line.slice(0, 4).map((move, index) => {
    const side = sides[index % 2];
    const lines = (className) => drawn(move, 1.2, 0.8, className);
    return lines(side === "pale" ? "casing pale-casing" : "casing") + lines(side);
  });
  const badges = line.slice(0, 4).map((move, index) => badge(partsOf(move).arrow, index + 1, sides[index % 2]));
  return [...groups.reverse(), ...badges.reverse()].join("");
};

/** By how many queen moves the first player is nearer; 9 where the other cannot get to, null where nobody can. */
const lead = (first, second) => {
  if (first === null && second === null) return null;
  if (first === null) return -9;
  if (second === null) return 9;
  return second - first;
};

/** Who is nearer, by dark and light squares; the larger, the nearer. */
export const territoryMarks = ({ queen }, width) =>
  queen.first
    .map((first, index) => {
      const by = lead(first, queen.second[index]);
      const [x, y] = [(index % width) * 10 + 5, Math.floor(index / width) * 10 + 5];
      if (by === null) return "";
      if (by === 0) return `<circle class="even" cx="${x}" cy="${y}" r=".7"/>`;
      const size = Math.abs(by) === 9 ? 7.4 : 2.2 + 1.3 * Math.min(Math.abs(by), 3);
      const at = size / 2;
      return `<rect class="${by > 0 ? "near-first" : "near-second"}" x="${fixed(x - at)}" y="${fixed(y - at)}" width="${fixed(size)}" height="${fixed(size)}" rx="1"/>`;
    })
    .join("");

/** How many squares each amazon can go to. */
export const freedomMarks = ({ freedom }) =>
  Object.entries({ ...freedom.first, ...freedom.second })
    .map(([name, count]) => {
      const [x, y] = squareOf(name).map((at) => at * 10);
      const text = `<text class="count" x="${x + 7.9}" y="${y + 9.2}">${count}</text>`;
      return `<rect class="tag" x="${x + 5.7}" y="${y + 6.6}" width="4.4" height="3.4" rx="1"/>${text}`;
    })
    .join("");

/** The borders of the regions. */
export const regionMarks = ({ regions }) => {
  const owner = new Map(regions.flatMap(({ squares }, index) => squares.map((name) => [name, index])));
  const at = (x, y) => owner.get(String.fromCharCode(97 + x) + (y + 1));
  const edges = [];
  for (const [name, index] of owner) {
    const [x, y] = squareOf(name);
    if (at(x - 1, y) !== index) edges.push(`M${x * 10} ${y * 10}v10`);
    if (at(x + 1, y) !== index) edges.push(`M${x * 10 + 10} ${y * 10}v10`);
    if (at(x, y - 1) !== index) edges.push(`M${x * 10} ${y * 10}h10`);
    if (at(x, y + 1) !== index) edges.push(`M${x * 10} ${y * 10 + 10}h10`);
  }
  return `<path class="border-casing" d="${edges.join("")}"/><path class="border" d="${edges.join("")}"/>`;
};
