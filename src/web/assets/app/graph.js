// The chances over the line through the position on the board: the first player's, by ply. Click to
// go there.

import { percent } from "./panel.js";
import { isMistake, lineThrough } from "./tree.js";
import { words } from "./words.js";

const WIDTH = 1000;
const HEIGHT = 200;

export const createGraph = (store, box, seek) => {
  const { state } = store;
  let plies = 0;
  const across = (ply) => (plies ? (ply * WIDTH) / plies : 0);
  const at = (event) => {
    const { left, width } = box.getBoundingClientRect();
    return Math.round(((event.clientX - left) / width) * plies);
  };
  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    seek(at(event));
  });
  box.addEventListener("pointermove", (event) => {
    if (box.hasPointerCapture(event.pointerId)) seek(at(event));
  });

  store.view(["tree", "node", "revision", "known", "language"], () => {
    const line = lineThrough(state.node);
    plies = line.length - 1;
    const known = line.filter((node) => node.known && node.asked);
    const points = known.map((node) => [across(node.ply), (1 - node.known.first) * HEIGHT]);
    const curve = points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const share = points.length > 1 ? `${curve}L${points.at(-1)[0].toFixed(1)} ${HEIGHT}L${points[0][0].toFixed(1)} ${HEIGHT}Z` : "";
    const dots = points.length > 40 ? "" : points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h.01`).join("");
    const now = across(state.node.ply).toFixed(1);
    // Before anything is known a graph would be an empty box.
    box.closest(".plot").hidden = points.length < 2;
    box.innerHTML =
      `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
      `<path class="ground" d="M0 0H${WIDTH}V${HEIGHT}H0Z"/><path class="share" d="${share}"/>` +
      `<path class="half" d="M0 ${HEIGHT / 2}H${WIDTH}"/>` +
      line.filter(isMistake).map(({ ply }) => `<path class="blunder" d="M${across(ply).toFixed(1)} 0V${HEIGHT}"/>`).join("") +
      `<path class="chance" d="${curve}"/><path class="dots" d="${dots}"/>` +
      `<line class="cursor" x1="${now}" x2="${now}" y1="0" y2="${HEIGHT}"/></svg>`;
    box.setAttribute("aria-valuemax", plies);
    box.setAttribute("aria-valuenow", state.node.ply);
    const chance = known.includes(state.node) && percent(state.node.known.first);
    box.setAttribute("aria-valuetext", words().graphLabel(state.node.ply, plies, chance));
  });
};
