// The chances over the line through the position on the board: the first player's, by ply. Click to
// go there.

import { chancesPicture } from "./chances.js";
import { percent } from "./panel.js";
import { seekIn } from "./stepper.js";
import { firstChance, isMistake, lineThrough } from "./tree.js";
import { words } from "./words.js";

export const createGraph = (store, box, seek) => {
  const { state } = store;
  let plies = 0;
  seekIn(box, () => plies, seek);

  store.view(["tree", "node", "revision", "known", "language"], () => {
    const line = lineThrough(state.node);
    plies = line.length - 1;
    const known = line.filter((node) => node.known && node.asked);
    // Before anything is known a graph would be an empty box.
    box.closest(".plot").hidden = known.length < 2;
    if (known.length) {
      const chances = known.map((node) => [node.ply, firstChance(node.known)]);
      box.innerHTML = chancesPicture(chances, line.filter(isMistake).map(({ ply }) => ply), state.node.ply, plies);
    }
    box.setAttribute("aria-valuemax", plies);
    box.setAttribute("aria-valuenow", state.node.ply);
    const chance = known.includes(state.node) && percent(firstChance(state.node.known));
    box.setAttribute("aria-valuetext", words().graphLabel(state.node.ply, plies, chance));
  });
};
