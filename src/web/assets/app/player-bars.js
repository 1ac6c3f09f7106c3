// Fills the bars above and below the board. A bar has a player's name and clock, and marks the turn
// and the winner.

import { clockText } from "./clock.js";
import { byId, selectAll } from "./elements.js";
import { SIDES, isOver, isPerson, isThinking, parsePlayer, resultAt } from "./players.js";
import { words } from "./words.js";

export const playerName = ({ tree, catalogue }, side) => {
  const all = words();
  if (isPerson({ tree }, side)) return tree.ended?.names[SIDES.indexOf(side)] ?? all.person;
  const { kind, value } = parsePlayer(tree.players[side]);
  return kind === "level" ? all.levelName(catalogue.levels[value - 1]) : all.engine;
};

/** Returns the name of a side's player for a file that saves the game, or null if unknown. */
export const nameInFile = (state, side) => {
  const { players, ended, live } = state.tree;
  const { engine } = words();
  if (!isPerson(state, side)) return parsePlayer(players[side]).kind === "level" ? `${engine} (${playerName(state, side)})` : engine;
  return ended?.names[SIDES.indexOf(side)] ?? (live ? words().human : null);
};

/** True if the board shows a task (an exercise or question) that is not from the user's game. */
const isForeignTask = ({ task, tree }) => task !== null && task.own.tree !== tree;

export const createPlayerBars = (store) => {
  const { state } = store;
  for (const seat of selectAll(".seat")) {
    seat.innerHTML = '<svg viewBox="0 0 10 10" aria-hidden="true"><use/></svg><b></b><span></span><i></i><time hidden></time>';
  }

  store.view(["tree", "node", "settings", "search", "clocks", "language", "paused", "task"], () => {
    const all = words();
    const bottomSide = state.settings.flipped ? "second" : "first";
    for (const [id, side] of [["seat-top", bottomSide === "first" ? "second" : "first"], ["seat-bottom", bottomSide]]) {
      const seat = byId(id);
      const turn = !isOver(state) && state.node.position.to_move === side;
      const won = resultAt(state.node)?.winner === side;
      seat.className = turn ? "seat turn" : "seat";
      seat.querySelector("use").setAttribute("href", side === "first" ? "#board-q0" : "#board-q1");
      seat.querySelector("b").textContent = all.player[side];
      seat.querySelector("span").textContent = isForeignTask(state) ? "" : playerName(state, side);
      seat.querySelector("i").textContent = won ? `★ ${all.won}` : turn && isThinking(state) ? `${all.thinking} …` : "";
      const time = seat.querySelector("time");
      time.hidden = !state.clocks;
      time.textContent = state.clocks ? clockText(state.clocks[side]) : "";
      time.classList.toggle("low", Boolean(state.clocks) && state.clocks[side] < 10_000);
    }
  });
};
