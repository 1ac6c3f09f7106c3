// Holds a game as a tree of nodes with moves, variations and comments. A node is a position of the
// game, and can have the engine's analysis of the position.

/** The number of moves of an engine line that the page shows. */
export const SHOWN_LINE_MOVES = 6;

const TWO_USERS = { first: "person", second: "person" };

/** Creates a node for the position after `move`. `chosen` is the child that the page showed last.
 * `analysis` is the position's analysis, and `isRequested` is true if the user requested it.
 * `judged` is the verdict on the move. `result` is a loss on time or by resignation, or a result
 * from a file. */
const createNode = (parent, move) => ({
  parent, move, ply: parent ? parent.ply + 1 : 0, children: [], chosen: null, comment: "", position: null,
  analysis: null, isRequested: false, judged: null, clocks: null, result: null,
});

export const addChild = (parent, move) => {
  const child = createNode(parent, move);
  parent.children.push(child);
  return child;
};

/** Adds moves with comments as a line below a node. Returns this node and the nodes of the line. */
const addLine = (from, moves, comments) => {
  const line = [from];
  moves.forEach((move, index) => {
    const node = line.at(-1).children.find((child) => child.move === move) ?? addChild(line.at(-1), move);
    node.comment ||= comments?.[index] ?? "";
    line.push(node);
  });
  return line;
};

/** Creates a tree from an answer to `askGame`. The answer has positions only for the main line. */
export const createTree = ({ start, moves, positions, result, date, about, width, height, comment, comments, variations }) => {
  const root = createNode(null, "");
  root.comment = comment ?? "";
  const main = addLine(root, moves, comments);
  main.forEach((node, ply) => { node.position = positions[ply]; });
  const lines = [main];
  for (const { line, ply, ...one } of variations ?? []) lines.push(addLine(lines[line][ply], one.moves, one.comments));
  const turn = { node: main.at(-1), spent: 0 };
  if (result?.winner) main.at(-1).result = { winner: result.winner, why: result.kind };
  const more = { players: TWO_USERS, clock: "0", live: false, goal: null, linked: false, review: null, date: date ?? null };
  return { start, ended: result ?? null, about, width, height, root, turn, ...more };
};

/** Returns the nodes from the root to a node, including both. */
export const pathTo = (node) => {
  const path = [];
  for (let at = node; at; at = at.parent) path.unshift(at);
  return path;
};

export const movesTo = (node) => pathTo(node).slice(1).map(({ move }) => move);

export const sideAt = ({ start }, { ply }) => ((start.split(" ")[1] === "w") === (ply % 2 === 0) ? "first" : "second");

/** Returns the next node of the current line: the child shown last, or the first child, or null. */
export const nextOf = (node) => node.chosen ?? node.children[0] ?? null;

/** Returns the nodes from the root through a node to the end of its line. */
export const lineThrough = (node) => {
  const line = pathTo(node);
  for (let next = nextOf(node); next; next = nextOf(next)) line.push(next);
  return line;
};

export const endOf = (node) => lineThrough(node).at(-1);

/** Makes the path to a node the current line, by setting `chosen` of the nodes on the path. */
export const choosePath = (node) => {
  for (let at = node; at.parent; at = at.parent) at.parent.chosen = at;
};

export const mainLine = (node) => (node.children.length > 0 ? [node, ...mainLine(node.children[0])] : [node]);

export const isVariation = (node) => pathTo(node).some((at) => at.parent && at.parent.children[0] !== at);

/** Makes a node's variation the main continuation of the position where the variation begins. */
export const promote = (node) => {
  const branch = pathTo(node).findLast((at) => at.parent && at.parent.children[0] !== at);
  if (!branch) return;
  const { children } = branch.parent;
  children.splice(children.indexOf(branch), 1);
  children.unshift(branch);
};

/** Removes a node from its parent. Returns a function that puts the node back. */
export const remove = (node) => {
  const { parent } = node;
  const at = parent.children.indexOf(node);
  parent.children.splice(at, 1);
  if (parent.chosen === node) parent.chosen = null;
  return () => parent.children.splice(at, 0, node);
};

/** Returns the node after these moves from the root, or null if the tree does not have the node. */
export const findNode = (tree, moves) =>
  moves.reduce((node, move) => node?.children.find((child) => child.move === move) ?? null, tree.root);

export const isMistake = ({ judged }) => judged?.word === "mistake" || judged?.word === "blunder";

/** Returns the first player's chance of winning, from 0 to 1, according to an engine's analysis. */
export const firstPlayerChance = ({ rootInfo: { currentPlayer, winrate } }) => (currentPlayer === "B" ? winrate : 1 - winrate);

/** Returns the best move of an analysis, or null if `analysis` is null or has no move. */
export const bestOf = (analysis) => analysis?.moveInfos[0]?.move ?? null;

/** Stores an analysis at a node, unless the node's analysis is proven or has more visits. */
export const keepAnalysis = (node, answer) => {
  const weight = ({ rootInfo, proven }) => (proven ? Infinity : rootInfo.visits);
  if (!node.analysis || weight(answer) >= weight(node.analysis)) node.analysis = answer;
};

/** Returns the lines of a tree as JSON values, with the main line first. Each line has its moves
 * and comments. For a variation, `line` is the index of the line in which it begins, and `ply` is
 * the number of moves of that line before the variation. */
export const branchingLines = (root) => {
  const lines = [];
  const collect = (first, from) => {
    const number = lines.length;
    const nodes = first ? mainLine(first) : [];
    lines.push({ ...from, moves: nodes.map(({ move }) => move), comments: nodes.map(({ comment }) => comment) });
    nodes.forEach((node, ply) => {
      // The outer call of `collect` collects the alternatives to a variation's first move.
      if (number > 0 && ply === 0) return;
      for (const other of node.parent.children.slice(1)) collect(other, { line: number, ply });
    });
  };
  collect(root.children[0], {});
  return lines;
};

/** Returns the stored part of an analysis: its numbers, and the best move with its line. */
const packAnalysis = ({ rootInfo, proven, playouts, depth, time, moveInfos }) => ({
  rootInfo, proven, playouts, depth, time,
  moveInfos: moveInfos.slice(0, 1).map((info) => ({ ...info, pv: info.pv.slice(0, SHOWN_LINE_MOVES) })),
});

const packNode = ({ move, comment, analysis, isRequested, judged, clocks, result, children }) => ({
  move,
  ...(comment && { comment }),
  ...(clocks && { clocks }),
  ...(result && { result }),
  ...(analysis && { seen: packAnalysis(analysis), asked: isRequested }),
  ...(judged && { judged }),
  ...(children.length && { children: children.map(packNode) }),
});

export const packTree = ({ root, turn: { node, spent }, ...rest }) =>
  ({ ...rest, turn: { moves: movesTo(node), spent }, root: packNode(root) });

const unpackNode = (node, { comment, seen, asked, judged, clocks, result, children }) => {
  Object.assign(node, { comment: comment || "", analysis: seen || null, isRequested: Boolean(asked), judged: judged || null, clocks: clocks || null, result: result || null });
  for (const child of children || []) unpackNode(addChild(node, String(child.move)), child);
  return node;
};

/** Restores a tree from its stored form. Positions are not stored; the page asks for them later. */
export const unpackTree = ({ root, turn: { moves, spent }, ...rest }) => {
  const tree = { ...rest, root: unpackNode(createNode(null, ""), root) };
  return { ...tree, turn: { node: findNode(tree, moves) ?? endOf(tree.root), spent } };
};
