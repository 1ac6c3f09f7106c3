// Shows the engine's analysis of the current position: a table of the best moves, and a bar with
// the winning chances of both sides.

import { byId, element } from "./elements.js";
import { mayMove, otherSide, sideOf, showsAnalysis } from "./players.js";
import { SHOWN_LINE_MOVES, firstPlayerChance } from "./tree.js";
import { attempt } from "./messages.js";
import { words } from "./words.js";

const TABLE_ROWS = 6;

const abbreviated = (number) => (number < 10_000 ? String(number) : number < 1e6 ? `${Math.round(number / 1e3)}k` : `${(number / 1e6).toFixed(1)}M`);

/** Formats a winning chance as a percentage. Values near 0 or 1 become 0.1 % or 99.9 %, because 0 %
 * and 100 % mean a proven result. */
export const percent = (share) => {
  const isWhole = share <= 0 || share >= 1;
  return `${isWhole ? 100 * share : Math.min(Math.max(share * 100, 0.1), 99.9).toFixed(1)} %`;
};

/** Formats a move's loss of winning chances as a percentage. The percentage is rounded down, so
 * that an inaccuracy never shows as large a loss as a mistake. */
export const costText = (lost) => `${Math.floor(lost * 100 + 1e-9)} %`;

/** Returns a text on an analysis: the winner if it is proven, or else visits, depth and speed. */
const analysisText = ({ rootInfo, proven, playouts, depth, time }, detailed) => {
  const all = words();
  const { currentPlayer, winrate, scoreLead, visits } = rootInfo;
  const side = sideOf(currentPlayer);
  if (proven) return all.ending(all.player[winrate === 1 ? side : otherSide(side)], Math.abs(scoreLead));
  return all.figures(abbreviated(visits), detailed ? depth : null, time > 0 ? abbreviated(Math.round(playouts / time)) : "–");
};

/** Returns the engine's move to which the user points in the table of best moves, or null. */
export const pointedMoveInfo = ({ node, pointed }) => node.analysis?.moveInfos[pointed] ?? null;

export const createAnalysisPanel = (store, game) => {
  const { state } = store;
  const rows = Array.from({ length: TABLE_ROWS }, (_, index) => {
    const button = element("button");
    const cells = [button, "", "", "", ""].map((content) => element("td", content));
    const row = element("tr", cells);
    row.addEventListener("pointerenter", () => store.set({ pointed: index }));
    row.addEventListener("pointerleave", () => store.set({ pointed: null }));
    button.addEventListener("focus", () => store.set({ pointed: index }));
    button.addEventListener("blur", () => store.set({ pointed: null }));
    row.addEventListener("click", () => {
      const candidate = state.node.analysis?.moveInfos[index];
      if (candidate && mayMove(state)) attempt(() => game.play(candidate.move, "play", false));
    });
    return { row, button, cells };
  });
  byId("best").replaceChildren(...rows.map(({ row }) => row));

  const showTable = (answer) => {
    const moves = answer?.moveInfos.slice(0, TABLE_ROWS) ?? [];
    const most = Math.max(1, ...moves.map(({ visits }) => visits));
    rows.forEach(({ row, button, cells }, index) => {
      const candidate = moves[index];
      row.className = candidate ? "" : "vacant";
      button.textContent = candidate?.move || "·";
      button.disabled = !candidate;
      cells[1].textContent = candidate ? percent(candidate.winrate) : "";
      cells[2].textContent = candidate ? abbreviated(candidate.visits) : "";
      cells[2].style.setProperty("--share", String(candidate ? candidate.visits / most : 0));
      // The answer has no prior and no static value of a move that the search has not visited.
      const visited = candidate?.prior !== null && candidate;
      cells[3].textContent = visited ? percent(visited.prior) : "";
      cells[4].textContent = visited ? percent(visited.staticValue) : "";
    });
    const candidate = answer && (pointedMoveInfo(state) ?? moves[0]);
    byId("line").textContent = candidate ? `${words().expects} ${candidate.pv.slice(0, SHOWN_LINE_MOVES).join("  ")}` : "";
  };

  const showBalance = (answer) => {
    const all = words();
    const first = answer ? firstPlayerChance(answer) : 0.5;
    const balance = byId("balance");
    balance.classList.toggle("unknown", !answer);
    balance.style.setProperty("--first", first);
    balance.title = answer ? all.chance(percent(first), percent(1 - first)) : all.unseen;
    balance.setAttribute("aria-label", balance.title);
    balance.querySelector(".low").textContent = answer ? `${all.first} ${percent(first)}` : "";
    balance.querySelector(".high").textContent = answer ? `${percent(1 - first)} ${all.second}` : "";
  };

  store.view(["node", "analysis", "analysing", "settings", "pointed", "language", "search", "mode"], () => {
    const shown = showsAnalysis(state) ? state.node.analysis : null;
    byId("analyse").setAttribute("aria-checked", state.analysing);
    byId("details").setAttribute("aria-pressed", Boolean(state.settings.details));
    byId("analysis").classList.toggle("detailed", Boolean(state.settings.details));
    byId("thoughts").hidden = !state.analysing && !(shown && shown.moveInfos.length > 0);
    byId("details").hidden = byId("thoughts").hidden;
    byId("figures").textContent = shown ? analysisText(shown, state.settings.details) : state.analysing ? "" : words().unseen;
    showTable(shown);
    showBalance(shown);
  });
};
