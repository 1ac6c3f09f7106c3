// The moves of the game as a list, each with what it cost.

import { WORTH_A_MARK } from "./graph.js";
import { percent } from "./panel.js";

/** A list in `box`; returns what shows it as it stands. */
export const createMoves = (box, game) => {
  let listed = null;

  const rowOf = (move, index) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    for (const [className, text] of [["number", index + 1], ["move", move], ["cost", ""]]) {
      const part = document.createElement("span");
      part.className = className;
      part.textContent = text;
      button.append(part);
    }
    button.addEventListener("click", () => game.seek(index + 1));
    item.append(button);
    return item;
  };

  // Scrolls the list alone: scrollIntoView would move the page under a phone's thumb.
  const keepInSight = (row) => {
    if (!row) box.scrollTop = 0;
    else if (row.offsetTop < box.scrollTop) box.scrollTop = row.offsetTop;
    else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight;
    }
  };

  return () => {
    const costs = new Map(game.losses().map(({ ply, lost }) => [ply, lost]));
    // Made anew only when the moves change: a click must find the button that it went down on.
    if (listed !== game.moves) {
      listed = game.moves;
      box.replaceChildren(...game.moves.map(rowOf));
    }
    [...box.children].forEach((item, index) => {
      const lost = costs.get(index + 1) ?? 0;
      const button = item.firstElementChild;
      button.lastElementChild.textContent = lost >= WORTH_A_MARK ? `−${percent(lost)}` : "";
      if (index + 1 === game.ply) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    keepInSight(box.children[game.ply - 1]);
  };
};
