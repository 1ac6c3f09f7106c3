// Draws a graph of the first player's winning chances, by ply, for the current line or the main
// line, whichever has more analysed positions. A click on a ply shows the position after this ply.

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

  store.view(["tree", "node", "revision", "analysis", "language"], () => {
    // The ply axis fits the current line and the main line, so a short variation is not stretched.
    const lines = [lineThrough(state.node), mainLine(state.tree.root)];
    plies = Math.max(...lines.map(({ length }) => length)) - 1;
    const isAnalysed = (node) => node.analysis && node.isRequested;
    const line = lines.reduce((best, other) => (other.filter(isAnalysed).length > best.filter(isAnalysed).length ? other : best));
    const analysed = line.filter(isAnalysed);
    box.closest(".plot").hidden = analysed.length < 2;
    if (analysed.length) {
      const chances = analysed.map((node) => [node.ply, firstPlayerChance(node.analysis)]);
      box.innerHTML = chancesPicture([chances], line.filter(isMistake).map(({ ply }) => ply), state.node.ply, plies);
    }
    box.setAttribute("aria-valuemax", plies);
    box.setAttribute("aria-valuenow", state.node.ply);
    const chance = isAnalysed(state.node) && percent(firstPlayerChance(state.node.analysis));
    box.setAttribute("aria-valuetext", words().graphLabel(state.node.ply, plies, chance));
  });
};
