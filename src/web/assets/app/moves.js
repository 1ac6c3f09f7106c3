// The moves of the game: the main line as a list, variations below the move that they replace, and
// what can be done to the move on the board.

import { at, element } from "./elements.js";
import { inLanguage } from "./ends.js";
import { costText } from "./panel.js";
import { SIGNS } from "./review.js";
import { keepInSight, markCurrent } from "./sight.js";
import { isVariation, sideAt } from "./tree.js";
import { notify, onClick } from "./trouble.js";
import { words } from "./words.js";

export const createMoves = (store, game) => {
  const { state } = store;
  const box = at("moves");
  let buttons = new Map();
  let listed = "";

  const buttonOf = (node) => {
    const button = element("button", [element("span", node.ply, "number"), element("span", node.move, "move"), element("span", "", "cost")]);
    button.addEventListener("click", () => game.seek(node));
    buttons.set(node, button);
    return button;
  };

  /** The items of a line that begins with a node; those of a variation are in a list of their own. */
  const itemsOf = (start) => {
    const items = [];
    for (let node = start; node; node = node.children[0]) {
      // Each side has a column of its own, whatever stands between two moves.
      const remark = node.comment ? [element("p", node.comment, "comment")] : [];
      items.push(element("li", [buttonOf(node), ...remark], `ply by-${sideAt(state.tree, node.parent)}`));
      if (node === start && node.parent.children[0] !== node) continue;
      for (const other of node.parent.children.slice(1)) items.push(element("li", element("ol", itemsOf(other)), "aside"));
    }
    return items;
  };

  /** All that the list shows: it is made anew only when this changes, since a click must find its button. */
  const shapeOf = (node) => `${node.move}${node.comment && `{${node.comment}}`}(${node.children.map(shapeOf).join()})`;

  store.view(["tree", "node", "revision", "known", "language"], () => {
    const shape = state.tree.start + shapeOf(state.tree.root);
    if (shape !== listed) {
      listed = shape;
      buttons = new Map();
      const { comment, children: [first] } = state.tree.root;
      box.replaceChildren(...(comment ? [element("li", comment, "start comment")] : []), ...(first ? itemsOf(first) : []));
    }
    for (const [node, button] of buttons) {
      const { word, lost } = node.judged ?? {};
      button.lastElementChild.textContent = word ? `${SIGNS[word]} −${costText(lost)}` : "";
      button.lastElementChild.dataset.word = word ?? "";
      button.title = word ? words().gaveAway(node.move, costText(lost), words().verdicts[word]) : "";
    }
    markCurrent(box, buttons.get(state.node));
    keepInSight(box, buttons.get(state.node));
    at("no-moves").hidden = buttons.size > 0;
    const { ended, about } = state.tree;
    at("about").textContent = [...(ended ? [inLanguage(ended.sentence)] : []), ...about].join(" ");
    at("promote").disabled = !isVariation(state.node);
    at("delete").disabled = !state.node.parent;
    at("delete").hidden = at("promote").hidden = at("comment").hidden = buttons.size === 0;
    if (document.activeElement !== at("comment-text")) at("comment-text").value = state.node.comment;
  });

  // The list gets shorter when analysis or a legend takes room.
  new ResizeObserver(() => keepInSight(box, buttons.get(state.node))).observe(box);

  onClick("promote", game.promote);
  onClick("delete", () => notify(words().deleted, { label: words().undoDelete, run: game.remove() }));
  onClick("comment", () => {
    at("comment-text").hidden = !at("comment-text").hidden;
    if (!at("comment-text").hidden) at("comment-text").focus();
  });
  at("comment-text").addEventListener("change", () => game.comment(at("comment-text").value.trim()));
};
