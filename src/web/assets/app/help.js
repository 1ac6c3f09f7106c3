// The help dialog, with the keys and the symbols of the page.

import { byId, element } from "./elements.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

const symbol = (markup, view = "0 0 10 10") => `<svg class="sample" viewBox="${view}" aria-hidden="true">${markup}</svg>`;

const SYMBOLS = [
  [symbol('<use href="#board-q0"/>'), "q0"],
  [symbol('<use href="#board-q1"/>'), "q1"],
  [symbol('<use href="#board-x"/>'), "burnt"],
  [symbol('<rect class="board-left" width="10" height="10"/>'), "legendLeft"],
  [symbol('<rect class="board-fresh" x="1" y="1" width="8" height="8"/>'), "legendFresh"],
  [symbol('<circle class="dot" cx="5" cy="5" r="1.8"/>'), "legendTarget"],
  [symbol('<path class="aim" d="M3.5 3.5l3 3m0 -3l-3 3"/>'), "legendShot"],
  [symbol('<path class="think" d="M1 5H9" stroke-width="1.5"/>'), "legendPath"],
  [symbol('<path class="think dashed" d="M0 5H10" stroke-width="1.2"/>'), "legendArrow"],
  [symbol('<rect class="hint" x="1" y="1" width="8" height="8" rx="1.4"/>'), "legendHint"],
  [symbol('<path class="chance" d="M0 7L4 4L10 6" stroke-width="1"/><path class="blunder" d="M5 0V10" stroke-width="1"/>').replace("sample", "sample graph"), "legendGraph"],
  ["<b>−14 %</b>", "legendCost"],
  ["<b>★</b>", "legendStar"],
];

const KEYS = [
  ["← →", "keysStep"], ["Home End", "keysEnds"], ["u", "undo"], ["r", "redo"], ["h", "hint"], ["Space", "keysAnalyse"],
  ["f", "flip"], ["Esc", "keysCancel"], ["Tab, ← ↑ → ↓, Enter", "keysBoard"], ["?", "keysHelp"],
];

export const createHelp = () => {
  onClick("open-help", () => {
    const all = words();
    const rows = (pairs) => pairs.map(([sign, key]) => {
      const term = element("dt");
      term.innerHTML = sign;
      return element("div", [term, element("dd", all[key].replace(/ ?[(（][^)）]*[)）]$/, ""))]);
    });
    byId("keys-list").replaceChildren(...rows(KEYS));
    byId("symbols-list").replaceChildren(...rows(SYMBOLS));
    byId("help").showModal();
    // Scrolls back to the top: the browser has scrolled down to the dialog's focused button.
    byId("help").scrollTop = 0;
  });
};
