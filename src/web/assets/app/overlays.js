// Draws the engine's moves, territory, mobility, regions and hints as SVG over or under the pieces.
// Numbers show ranks, and dark and light show sides, so that no meaning depends on hue.

import { layoutOf, nameOf, partsOf } from "./rules.js";

const inSvg = (number) => number.toFixed(2);

const amazonPath = ([x0, y0], [x1, y1], width, className) => {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = 1.6 + width;
  const [bx, by] = [x1 - dx * head, y1 - dy * head];
  const half = 0.9 + width * 0.75;
  const shaft = `M${inSvg(x0 + dx * 3)} ${inSvg(y0 + dy * 3)}L${inSvg(bx + dx * 0.2)} ${inSvg(by + dy * 0.2)}`;
  const tip = `M${x1} ${y1}L${inSvg(bx - dy * half)} ${inSvg(by + dx * half)}L${inSvg(bx + dy * half)} ${inSvg(by - dx * half)}Z`;
  return `<path class="${className}" d="${shaft}" stroke-width="${inSvg(width)}"/><path class="${className} tip" d="${tip}"/>`;
};

/** Draws the flight of an arrow as a dashed line. If the arrow flies `back` over the path of its
 * amazon, the line is curved, so that both are visible. */
const arrowPath = ([x0, y0], [x1, y1], width, className, back) => {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [ax, ay] = [x0 + dx * 1.5, y0 + dy * 1.5];
  const [bx, by] = [x1 - dx * 2.3, y1 - dy * 2.3];
  const bow = back ? 4 + length * 0.12 : 0;
  const [cx, cy] = [(ax + bx) / 2 - dy * bow, (ay + by) / 2 + dx * bow];
  const line = back ? `Q${inSvg(cx)} ${inSvg(cy)} ` : "L";
  return `<path class="${className} dashed" d="M${inSvg(ax)} ${inSvg(ay)}${line}${inSvg(bx)} ${inSvg(by)}" stroke-width="${inSvg(width)}"/>`;
};

const movePaths = (move, { middle }, width, arrowWidth, className) => {
  const { from, to, arrow } = partsOf(move);
  const [start, stand, end] = [from, to, arrow].map(middle);
  const [ax, ay] = [stand[0] - start[0], stand[1] - start[1]];
  const [bx, by] = [end[0] - stand[0], end[1] - stand[1]];
  const back = ax * by === ay * bx && ax * bx + ay * by < 0;
  return amazonPath(start, stand, width, className) + arrowPath(stand, end, arrowWidth, className, back);
};

const badge = ([x, y], text, className) =>
  `<g class="badge"><circle class="${className} disc" cx="${inSvg(x)}" cy="${inSvg(y)}" r="2.1"/><text class="${className} mark" x="${inSvg(x)}" y="${inSvg(y + 1.05)}">${text}</text></g>`;

/** Draws numbers in discs on squares. If a square has several numbers, they surround its centre. */
const badges = (marks, { middle }) => {
  const shared = new Map();
  for (const mark of marks) shared.set(mark.square, [...(shared.get(mark.square) ?? []), mark]);
  return [...shared].flatMap(([square, group]) => group.map(({ text, className }, index) => {
    const [x, y] = middle(square);
    const angle = (2 * Math.PI * index) / group.length - Math.PI / 2;
    const out = group.length > 1 ? 2.5 : 0;
    return badge([x + out * Math.cos(angle), y + out * Math.sin(angle)], text, className);
  })).join("");
};

/** Draws a move of the engine, and writes `rank` (a number or "!") on the arrow's square. */
export const bestMoveMarks = (move, rank, height) => {
  const layout = layoutOf(height);
  const lines = (className) => movePaths(move, layout, 1.5, 0.9, className);
  return `${lines("casing")}${lines("think")}${badges([{ square: partsOf(move).arrow, text: rank, className: "think" }], layout)}`;
};

/** Draws the first four moves of a line with their numbers. The first player's moves are dark. */
export const lineMarks = (line, toMove, height) => {
  const layout = layoutOf(height);
  const sides = toMove === "first" ? ["dark", "pale"] : ["pale", "dark"];
  const shown = line.slice(0, 4);
  const groups = shown.map((move, index) => {
    const side = sides[index % 2];
    const lines = (className) => movePaths(move, layout, 1.2, 0.8, className);
    return lines(side === "pale" ? "casing pale-casing" : "casing") + lines(side);
  });
  const marks = shown.map((move, index) => ({ square: partsOf(move).arrow, text: index + 1, className: sides[index % 2] }));
  return groups.reverse().join("") + badges(marks, layout);
};

/** Marks the squares that a hint shows in step 1 (amazon), 2 (also target) or 3 (also arrow). */
export const hintMarks = (move, step, height) => {
  const { from, to, arrow } = partsOf(move);
  return [from, to, arrow].slice(0, step).map((name) => squareMark(name, height)).join("");
};

export const squareMark = (name, height) => {
  const [x, y] = layoutOf(height).corner(name);
  return `<rect class="hint" x="${x + 0.5}" y="${y + 0.5}" width="9" height="9" rx="1.4"/>`;
};

/** Colours a square. A frame is added if the class says that only one side can reach the square.
 * @type {(corner: number[], className: string) => string} */
export const tintedSquare = ([x, y], className) => {
  const [, sole] = className.match(/^near-(\w+) sole$/) ?? [];
  const frame = sole ? `<rect class="frame-${sole}" x="${x + 1.5}" y="${y + 1.5}" width="7" height="7" rx="1"/>` : "";
  return `<rect class="${className}" x="${x}" y="${y}" width="10" height="10"/>${frame}`;
};

/** Returns the side that reaches a square in fewer queen moves, or null if no side does. */
export const nearerSide = (queen, index) => {
  const [first, second] = [queen.first, queen.second].map((distances) => distances[index] ?? Infinity);
  return first === second ? null : first < second ? "first" : "second";
};

export const territoryMarks = ({ queen }, width, height) => queen.first.map((first, index) => {
  const side = nearerSide(queen, index);
  const isSole = first === null || queen.second[index] === null;
  const corner = layoutOf(height).corner(nameOf([index % width, Math.floor(index / width)]));
  return side ? tintedSquare(corner, `near-${side}${isSole ? " sole" : ""}`) : "";
}).join("");

/** Draws beside each amazon the number of squares that it can move to. */
export const freedomMarks = ({ freedom }, height) => {
  const { corner } = layoutOf(height);
  return Object.entries({ ...freedom.first, ...freedom.second }).map(([name, count]) => {
    const [x, y] = corner(name);
    const text = `<text class="count" x="${x + 7.9}" y="${y + 9.2}">${count}</text>`;
    return `<rect class="tag" x="${x + 5.7}" y="${y + 6.6}" width="4.4" height="3.4" rx="1"/>${text}`;
  }).join("");
};

export const regionMarks = ({ regions, freedom }, height) => {
  const layout = layoutOf(height);
  const taken = { ...freedom.first, ...freedom.second };
  return regions.length < 2 ? "" : regions.map(({ squares, empty, amazons }) => {
    const owner = amazons.first && amazons.second ? "shared" : amazons.first ? "first" : amazons.second ? "second" : "none";
    const tints = squares.map((name) => tintedSquare(layout.corner(name), `region-${owner}`)).join("");
    // The count of empty squares stands near the region's centre, on a square without an amazon.
    const middles = squares.map(layout.middle);
    const [mx, my] = [0, 1].map((axis) => middles.reduce((sum, at) => sum + at[axis], 0) / middles.length);
    const off = ([x, y]) => Math.hypot(x - mx, y - my);
    const [x, y] = squares.filter((name) => !(name in taken)).map(layout.middle).reduce((a, b) => (a && off(a) <= off(b) ? a : b), null) ?? [0, 0];
    const text = empty > 0 ? `<text class="region-count" x="${x}" y="${y + 1.4}">${empty}</text>` : "";
    return tints + text;
  }).join("");
};
