// The tree of a game: a start position, moves, variations, comments, and what is known of each
// position.

/** How many moves of a line the page shows. */
export const SHOWN_OF_LINE = 6;

/** The players of a game that no engine plays. */
const PERSONS = { first: "person", second: "person" };

/**
 * A node: the position after `move`. `chosen` is the child that was visited last; `result` is one that no rule tells.
 * `known` is the engine's answer, `asked` says that the person asked to see it, `judged` is the verdict on the move.
 */
const createNode = (parent, move) => ({
  parent, move, ply: parent ? parent.ply + 1 : 0, children: [], chosen: null, comment: "", position: null,
  known: null, asked: false, judged: null, clocks: null, result: null,
});

export const addChild = (parent, move) => {
  const child = createNode(parent, move);
  parent.children.push(child);
  return child;
};

/** Makes moves with their comments from a node on; returns the nodes of that line, the first included. */
const grow = (from, moves, comments) => {
  const line = [from];
  moves.forEach((move, index) => {
    const node = line.at(-1).children.find((child) => child.move === move) ?? addChild(line.at(-1), move);
    node.comment ||= comments?.[index] ?? "";
    line.push(node);
  });
  return line;
};

/** A tree of an answer to `askGame`: the main line with its positions, and the variations. */
export const createTree = ({ start, moves, positions, result, date, about, width, height, comment, comments, variations }) => {
  const root = createNode(null, "");
  root.comment = comment ?? "";
  const main = grow(root, moves, comments);
  main.forEach((node, ply) => { node.position = positions[ply]; });
  const lines = [main];
  for (const { line, ply, ...one } of variations ?? []) lines.push(grow(lines[line][ply], one.moves, one.comments));
  const turn = { node: main.at(-1), spent: 0 };
  if (result?.winner) main.at(-1).result = { winner: result.winner, why: result.kind };
  const more = { players: PERSONS, clock: "0", live: false, goal: null, linked: false, review: null, date: date ?? null };
  return { start, ended: result ?? null, about, width, height, root, turn, ...more };
};

/** The nodes from the root to a node, both included. */
export const pathTo = (node) => {
  const path = [];
  for (let at = node; at; at = at.parent) path.unshift(at);
  return path;
};

export const movesTo = (node) => pathTo(node).slice(1).map(({ move }) => move);

/** The side to move at a node. */
export const sideAt = ({ start }, { ply }) => ((start.split(" ")[1] === "w") === (ply % 2 === 0) ? "first" : "second");

/** Where a step forward leads. */
export const nextOf = (node) => node.chosen ?? node.children[0] ?? null;

/** The line through a node: from the root to it and on by the children visited last. */
export const lineThrough = (node) => {
  const line = pathTo(node);
  for (let next = nextOf(node); next; next = nextOf(next)) line.push(next);
  return line;
};

/** The last node of the line through a node. */
export const endOf = (node) => lineThrough(node).at(-1);

/** Makes every node on the way here the choice of its parent. */
export const choosePath = (node) => {
  for (let at = node; at.parent; at = at.parent) at.parent.chosen = at;
};

/** The nodes of the main line from a node on. */
export const mainLine = (node) => (node.children.length > 0 ? [node, ...mainLine(node.children[0])] : [node]);

/** Whether a node is on no first-child line from the root. */
export const isVariation = (node) => pathTo(node).some((at) => at.parent && at.parent.children[0] !== at);

/** Moves the variation of a node one rank up: at its last branching it becomes the first. */
export const promote = (node) => {
  const branch = pathTo(node).findLast((at) => at.parent && at.parent.children[0] !== at);
  if (!branch) return;
  const { children } = branch.parent;
  children.splice(children.indexOf(branch), 1);
  children.unshift(branch);
};

/** Takes a node out; returns what puts it back. */
export const remove = (node) => {
  const { parent } = node;
  const at = parent.children.indexOf(node);
  parent.children.splice(at, 1);
  if (parent.chosen === node) parent.chosen = null;
  return () => parent.children.splice(at, 0, node);
};

/** Follows moves from the root; null where the tree does not hold them. */
export const find = (tree, moves) =>
  moves.reduce((node, move) => node?.children.find((child) => child.move === move) ?? null, tree.root);

/** Whether a review found the move of a node worth another try. */
export const isMistake = ({ judged }) => judged?.word === "mistake" || judged?.word === "blunder";

/** The first player's chance of winning by an answer of the engine. */
export const firstChance = ({ rootInfo: { currentPlayer, winrate } }) => (currentPlayer === "B" ? winrate : 1 - winrate);

/** The move to play by what is known of a position, or null. */
export const bestOf = (known) => known?.moveInfos[0]?.move ?? null;

/** Keeps an answer about a position, unless more is known already. */
export const learn = (node, answer) => {
  const weight = ({ rootInfo, proven }) => (proven ? Infinity : rootInfo.visits);
  if (!node.known || weight(answer) >= weight(node.known)) node.known = answer;
};

// ---- To and from plain data

/** The lines of a tree, the main line first: moves, comments, and after how many plies of which line each begins. */
export const linesOf = (root) => {
  const lines = [];
  const collect = (first, from) => {
    const number = lines.length;
    const nodes = first ? mainLine(first) : [];
    lines.push({ ...from, moves: nodes.map(({ move }) => move), comments: nodes.map(({ comment }) => comment) });
    nodes.forEach((node, ply) => {
      // The other lines from where this one begins belong to the line that it leaves.
      if (number > 0 && ply === 0) return;
      for (const other of node.parent.children.slice(1)) collect(other, { line: number, ply });
    });
  };
  collect(root.children[0], {});
  return lines;
};

/** What the page shows of an answer later: its figures, and the best move with the start of its line. */
const packKnown = ({ rootInfo, proven, playouts, depth, time, moveInfos }) => ({
  rootInfo, proven, playouts, depth, time,
  moveInfos: moveInfos.slice(0, 1).map((info) => ({ ...info, pv: info.pv.slice(0, SHOWN_OF_LINE) })),
});

const packNode = ({ move, comment, known, asked, judged, clocks, result, children }) => ({
  move,
  ...(comment && { comment }),
  ...(clocks && { clocks }),
  ...(result && { result }),
  ...(known && { seen: packKnown(known), asked }),
  ...(judged && { judged }),
  ...(children.length && { children: children.map(packNode) }),
});

export const pack = ({ root, turn: { node, spent }, ...rest }) =>
  ({ ...rest, turn: { moves: movesTo(node), spent }, root: packNode(root) });

const unpackNode = (node, { comment, seen, asked, judged, clocks, result, children }) => {
  Object.assign(node, { comment: comment || "", known: seen || null, asked: Boolean(asked), judged: judged || null, clocks: clocks || null, result: result || null });
  for (const child of children || []) unpackNode(addChild(node, String(child.move)), child);
  return node;
};

/** A tree without positions: they are asked for when they are shown. */
export const unpack = ({ root, turn: { moves, spent }, ...rest }) => {
  const tree = { players: PERSONS, ...rest, root: unpackNode(createNode(null, ""), root) };
  return { ...tree, turn: { node: find(tree, moves) ?? endOf(tree.root), spent } };
};
