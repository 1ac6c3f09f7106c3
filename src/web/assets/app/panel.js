// What the engine thinks of the position on the board: figures, a balance, and a table of its best moves.

import { words } from "./words.js";

const ROWS = 6;

const at = (id) => document.getElementById(id);
const short = (number) => (number < 10_000 ? String(number) : number < 1e6 ? `${Math.round(number / 1e3)}k` : `${(number / 1e6).toFixed(1)}M`);

export const percent = (share) => `${(share * 100).toFixed(share > 0.0005 && share < 0.0995 ? 1 : 0)} %`;

/** What is proven, or how much was looked at. */
const verdict = ({ ending, proven, playouts, reused, depth, time }) => {
  const all = words();
  if (ending) return all.ending(all.player[ending.winner], ending.margin);
  if (proven) return all.proven;
  return all.figures(short(playouts + reused), depth, time > 0 ? short(Math.round(playouts / time)) : "–");
};

/** A panel; `look(candidate)` is told which move is pointed at, `play(move)` which is clicked. */
export const createPanel = (look, play) => {
  let moves = [];
  let pointed = -1;
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const row = document.createElement("tr");
    const button = document.createElement("button");
    button.type = "button";
    const cells = Array.from({ length: 5 }, () => document.createElement("td"));
    cells[0].append(button);
    row.append(...cells);
    const point = (to) => {
      pointed = to;
      look(moves[to]);
      showLine();
    };
    row.addEventListener("pointerenter", () => point(index));
    row.addEventListener("pointerleave", () => point(-1));
    button.addEventListener("focus", () => point(index));
    button.addEventListener("blur", () => point(-1));
    row.addEventListener("click", () => moves[index] && play(moves[index].move));
    return { row, button, cells };
  });
  at("best").replaceChildren(...rows.map(({ row }) => row));

  const showLine = () => {
    const candidate = moves[Math.max(pointed, 0)];
    at("line").textContent = candidate ? `${words().expects} ${candidate.line.slice(0, 6).join("  ")}` : "";
  };

  /** Shows an answer of the engine, or that there is none. */
  return (answer) => {
    const all = words();
    moves = answer?.moves.slice(0, ROWS) || [];
    const most = Math.max(1, ...moves.map(({ visits }) => visits));
    rows.forEach(({ row, button, cells }, index) => {
      const candidate = moves[index];
      row.className = candidate ? "" : "vacant";
      button.textContent = candidate?.move || "·";
      button.disabled = !candidate;
      cells[1].textContent = candidate ? short(candidate.visits) : "";
      cells[1].style.setProperty("--share", candidate ? candidate.visits / most : 0);
      cells[2].textContent = candidate ? percent(candidate.value) : "";
      cells[3].textContent = candidate ? percent(candidate.prior) : "";
      cells[4].textContent = candidate ? percent(candidate.static_value) : "";
    });
    at("figures").textContent = answer ? verdict(answer) : "";
    const first = answer ? answer.first : 0.5;
    const balance = at("balance");
    balance.classList.toggle("unknown", !answer);
    balance.style.setProperty("--first", first);
    balance.setAttribute("aria-label", answer ? all.chance(percent(first), percent(1 - first)) : all.unseen);
    balance.querySelector(".low").textContent = answer ? `${all.first} ${percent(first)}` : all.unseen;
    balance.querySelector(".high").textContent = answer ? `${percent(1 - first)} ${all.second}` : "";
    showLine();
    if (pointed >= 0) look(moves[pointed]);
  };
};
