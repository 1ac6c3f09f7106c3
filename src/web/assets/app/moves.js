// Lists the moves of the game: the main line in two columns, and each variation below the move to
// which it is an alternative. Buttons promote, delete or comment the current move.

import { byId, element } from "./elements.js";
import { inLanguage } from "./outcome.js";
import { costText } from "./panel.js";
import { VERDICT_SIGNS } from "./review.js";
import { keepInSight, markCurrent } from "./lists.js";
import { isVariation, sideAt } from "./tree.js";
import { attempt, notify, onClick } from "./messages.js";
import { words } from "./words.js";

export const createMoveList = (store, game) => {
  const { state } = store;
  const box = byId("moves");
  let buttons = new Map();
  let listed = "";

  const buttonOf = (node) => {
    const button = element("button", [element("span", node.ply, "number"), element("span", node.move, "move"), element("span", "", "cost")]);
    button.addEventListener("click", () => attempt(() => game.seek(node)));
    buttons.set(node, button);
    return button;
  };

  /** Returns list items for the moves from `start` on. Each variation is an item with a list. */
  const itemsOf = (start) => {
    const items = [];
    for (let node = start; node; node = node.children[0]) {
      // The class by-first or by-second puts the move into the column of the side that played it.
      const remark = node.comment ? [element("p", node.comment, "comment")] : [];
      items.push(element("li", [buttonOf(node), ...remark], `ply by-${sideAt(state.tree, node.parent)}`));
      if (node === start && node.parent.children[0] !== node) continue;
      for (const other of node.parent.children.slice(1)) items.push(element("li", element("ol", itemsOf(other)), "aside"));
    }
    return items;
  };

  /** Returns all moves and comments below a node as a string, to detect a change of the list. */
  const shapeOf = (node) => `${node.move}${node.comment && `{${node.comment}}`}(${node.children.map(shapeOf).join()})`;

  store.view(["tree", "node", "revision", "analysis", "language"], () => {
    const shape = state.tree.start + shapeOf(state.tree.root);
    if (shape !== listed) {
      listed = shape;
      buttons = new Map();
      const { comment, children: [first] } = state.tree.root;
      box.replaceChildren(...(comment ? [element("li", comment, "start comment")] : []), ...(first ? itemsOf(first) : []));
    }
    for (const [node, button] of buttons) {
      const { word, lost } = node.judged ?? {};
      button.lastElementChild.textContent = word ? `${VERDICT_SIGNS[word]} −${costText(lost)}` : "";
      button.lastElementChild.dataset.word = word ?? "";
      button.title = word ? words().gaveAway(node.move, costText(lost), words().verdicts[word]) : "";
    }
    markCurrent(box, buttons.get(state.node));
    keepInSight(box, buttons.get(state.node));
    byId("no-moves").hidden = buttons.size > 0;
    const { ended, about } = state.tree;
    byId("about").textContent = [...(ended ? [inLanguage(ended.sentence)] : []), ...about].join(" ");
    byId("promote").disabled = !isVariation(state.node);
    byId("delete").disabled = !state.node.parent;
    byId("delete").hidden = byId("promote").hidden = byId("comment").hidden = buttons.size === 0;
    if (document.activeElement !== byId("comment-text")) byId("comment-text").value = state.node.comment;
  });

  // When the analysis or a legend appears, the list shrinks and must scroll to the current move.
  new ResizeObserver(() => keepInSight(box, buttons.get(state.node))).observe(box);

  onClick("promote", game.promote);
  onClick("delete", () => notify(words().deleted, { label: words().undoDelete, run: game.remove() }));
  onClick("comment", () => {
    byId("comment-text").hidden = !byId("comment-text").hidden;
    if (!byId("comment-text").hidden) byId("comment-text").focus();
  });
  byId("comment-text").addEventListener("change", () => game.comment(byId("comment-text").value.trim()));
};
