// Draws a graph of the first player's winning chances, by ply, for the current line or the main
// line, whichever has more analysed positions. A click on the graph shows the position of that ply.

import { chancesPicture } from "./chances.js";
import { byId } from "./elements.js";
import { percent } from "./panel.js";
import { listenToPointer } from "./stepper.js";
import { firstPlayerChance, isMistake, lineThrough, mainLine } from "./tree.js";
import { attempt } from "./messages.js";
import { words } from "./words.js";

export const createGraph = (store, game) => {
  const { state } = store;
  const box = byId("graph");
  let plies = 0;
  listenToPointer(box, () => plies, (ply) => attempt(() => game.toPly(ply)));

  store.view(["tree", "node", "revision", "known", "language"], () => {
    // The longer of the two lines sets the graph's width, so a short variation is not stretched.
    const lines = [lineThrough(state.node), mainLine(state.tree.root)];
    plies = Math.max(...lines.map(({ length }) => length)) - 1;
    const isKnown = (node) => node.known && node.asked;
    const line = lines.reduce((best, other) => (other.filter(isKnown).length > best.filter(isKnown).length ? other : best));
    const known = line.filter(isKnown);
    box.closest(".plot").hidden = known.length < 2;
    if (known.length) {
      const chances = known.map((node) => [node.ply, firstPlayerChance(node.known)]);
      box.innerHTML = chancesPicture([chances], line.filter(isMistake).map(({ ply }) => ply), state.node.ply, plies);
    }
    box.setAttribute("aria-valuemax", plies);
    box.setAttribute("aria-valuenow", state.node.ply);
    const chance = isKnown(state.node) && percent(firstPlayerChance(state.node.known));
    box.setAttribute("aria-valuetext", words().graphLabel(state.node.ply, plies, chance));
  });
};
