// Shows the rules in three pictures, on the first visit and in the help dialog.

import { byId, element } from "./elements.js";
import { smallPicture } from "./picture.js";
import { cellsOf, layoutOf, reachableSquares } from "./rules.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

const HEIGHT = 4;
const { middle } = layoutOf(HEIGHT);

const line = (from, to, className) => `<path class="${className}" stroke-width="1" d="M${middle(from)}L${middle(to)}"/>`;
const dot = (name) => `<circle class="dot" cx="${middle(name)[0]}" cy="${middle(name)[1]}" r="1.5"/>`;

const PICTURES = [
  { fen: "3q/2*1/4/1Q2", marks: (cells) => reachableSquares(cells, "b1").map(dot).join("") },
  { fen: "3q/*1*1/1Q2/4", marks: () => line("b1", "b2", "think") + line("b2", "a3", "think dashed") },
  { fen: "2*q/2**/1Q2/*3", marks: () => "" },
];

export const createRulesPictures = (store) => {
  const { state, configure } = store;

  store.view(["language"], () => {
    for (const box of document.querySelectorAll(".rules")) {
      box.replaceChildren(...PICTURES.map(({ fen, marks }, index) => {
        const item = element("li");
        const [title, text] = words().rules[index];
        item.innerHTML = smallPicture(fen, marks(cellsOf(fen)));
        item.append(element("p", [element("b", title), ` ${text}`]));
        return item;
      }));
    }
  });
  store.view(["settings"], () => { byId("welcome").hidden = !state.settings.welcome; });

  store.on("moved", (_, cause) => { if (cause === "play") configure({ welcome: false }); });
  onClick("welcome-close", () => configure({ welcome: false }));
};
