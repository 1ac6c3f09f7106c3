// The rules in three pictures: a card on the first visit, and the head of the page behind "?".

import { piecesOf } from "./pieces.js";
import { cellsOf, layoutOf, reach } from "./rules.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

const HEIGHT = 4;
const { middle } = layoutOf(HEIGHT);

const line = (from, to, className) => `<path class="${className}" stroke-width="1" d="M${middle(from)}L${middle(to)}"/>`;
const dot = (name) => `<circle class="dot" cx="${middle(name)[0]}" cy="${middle(name)[1]}" r="1.5"/>`;

/** A position, and what is drawn on it: a move's targets; the way to the square that burns; nothing. */
const PICTURES = [
  { fen: "3q/2*1/4/1Q2", marks: (cells) => reach(cells, "b1").map(dot).join("") },
  { fen: "3q/*1*1/1Q2/4", marks: () => line("b1", "b2", "think") + line("b2", "a3", "think dashed") },
  { fen: "2*q/2**/1Q2/*3", marks: () => "" },
];

/** A small picture of a position, with what `marks(cells)` draws on it. */
export const picture = ({ fen, marks }) => {
  const cells = cellsOf(fen);
  const [width, height] = [cells[0].length, cells.length].map((squares) => 10 * squares);
  const deep = cells.flatMap((row, y) => row.map((_, x) => ((x + y) % 2 ? "" : `M${10 * x} ${height - 10 * y - 10}h10v10h-10z`)));
  const ground = `<path class="board-pale" d="M0 0H${width}V${height}H0Z"/><path class="board-deep" d="${deep.join("")}"/>`;
  return `<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${ground}${piecesOf(cells)}${marks?.(cells) ?? ""}</svg>`;
};

/** Shows the rules; `beginLesson()` begins the first lesson. */
export const createPrimer = (store, beginLesson) => {
  const { state, configure } = store;

  store.view(["language"], () => {
    for (const box of document.querySelectorAll(".rules")) {
      box.replaceChildren(...PICTURES.map((one, index) => {
        const item = document.createElement("li");
        item.innerHTML = `${picture(one)}<p><b></b> <span></span></p>`;
        [item.querySelector("b").textContent, item.querySelector("span").textContent] = words().rules[index];
        return item;
      }));
    }
  });
  store.view(["settings"], () => { at("welcome").hidden = !state.settings.welcome; });

  for (const id of ["welcome-lesson", "help-lesson"]) {
    at(id).addEventListener("click", () => {
      at("help").close();
      configure({ welcome: false });
      beginLesson();
    });
  }
  at("welcome-close").addEventListener("click", () => configure({ welcome: false }));
  at("welcome").hidden = !state.settings.welcome;
};
