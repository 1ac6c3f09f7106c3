// Draws the engine's moves and the chosen overlay on the board, and shows the overlay's legend.

import { byId, element } from "./elements.js";
import { bestMoveMarks, freedomMarks, hintMarks, lineMarks, regionMarks, squareMark, territoryMarks, tintedSquare } from "./overlays.js";
import { showsAnalysis } from "./players.js";
import { pointedMoveInfo } from "./panel.js";
import { bestOf } from "./tree.js";
import { words } from "./words.js";

export const OVERLAYS = ["none", "territory", "freedom", "regions"];

const LEGEND_CLASSES = {
  territory: ["near-first", "near-first sole", "near-second", "near-second sole"],
  regions: ["region-first", "region-second", "region-shared", "region-none"],
};

export const createBoardMarks = (store, board) => {
  const { state } = store;

  const drawUnder = () => {
    const { settings: { overlay }, node: { position: { territory } }, tree: { width, height } } = state;
    if (overlay === "territory") return territoryMarks(territory, width, height);
    return overlay === "regions" ? regionMarks(territory, height) : "";
  };

  const drawOver = () => {
    const { height } = state.tree;
    const { analysis, position } = state.node;
    const { task } = state;
    const marked = task && state.node.parent === null ? task.list[task.at].mark : null;
    const marks = (state.settings.overlay === "freedom" ? freedomMarks(position.territory, height) : "") + (marked ? squareMark(marked, height) : "");
    if (state.hint?.node === state.node) return marks + hintMarks(state.hint.best, state.hint.step, height);
    if (!analysis || !showsAnalysis(state)) return marks;
    const pointed = pointedMoveInfo(state);
    if (pointed) return marks + lineMarks(pointed.pv, position.to_move, height);
    const better = !state.analysing && state.node.judged?.word && bestOf(state.node.parent.analysis);
    if (better) return marks + bestMoveMarks(better, "!", height);
    const best = state.settings.arrows && bestOf(analysis);
    return marks + (best ? bestMoveMarks(best, 1, height) : "");
  };

  store.view(["tree", "node", "analysis", "analysing", "settings", "pointed", "hint", "mode", "task"], () => {
    const blank = state.mode === "setup";
    board.draw("under", blank ? "" : drawUnder());
    board.draw("over", blank ? "" : drawOver());
  });

  store.view(["settings", "language"], () => {
    const all = words();
    const { overlay } = state.settings;
    for (const name of OVERLAYS) byId(`show-${name}`).checked = overlay === name;
    byId("show-arrows").checked = state.settings.arrows;
    byId("overlay-text").textContent = all.overlays[overlay] ?? "";
    byId("overlay-text").hidden = overlay === "none";
    byId("legend").replaceChildren(...(LEGEND_CLASSES[overlay] ?? []).map((className, index) => {
      const item = element("span");
      const ground = '<rect class="board-pale" width="10" height="10"/><rect class="board-deep" x="10" width="10" height="10"/>';
      item.innerHTML = `<svg viewBox="0 0 20 10" aria-hidden="true">${ground}${tintedSquare([0, 0], className)}${tintedSquare([10, 0], className)}</svg>`;
      item.append(all.legends[overlay][index]);
      return item;
    }));
  });

  for (const name of OVERLAYS) {
    byId(`show-${name}`).addEventListener("change", () => store.configure({ overlay: name }));
  }
  byId("show-arrows").addEventListener("change", (event) => store.configure({ arrows: event.target.checked }));
};
