// The dialog for a new game: the opponent, the user's side, the board and the clock. The settings
// change only when the user presses Play.

import { parseClock } from "./clock.js";
import { byId } from "./elements.js";
import { parsePlayer } from "./players.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

const SECONDS_PER_MOVE = [0.1, 0.5, 1, 3, 10, 30];
/** The value of the field "Board" for a new game that begins from the position on the board. */
const CURRENT_POSITION = "here";

/** Returns the values that the user can choose in each field of the dialog for a new game. */
export const newGameOptions = (levels) => {
  const other = [...levels.map((_, index) => `level:${index + 1}`), ...SECONDS_PER_MOVE.map((time) => `time:${time}`)];
  return {
    opponent: ["person", ...other],
    other,
    side: ["first", "second", "random", "none"],
    clock: ["0", "move:10", "move:30", "move:60", "game:60+1", "game:180+2", "game:300+3", "game:600+5", "game:900+10"],
    size: ["6", "8", "10"],
  };
};

/** Returns the players of both sides according to the values of the dialog's fields.
 * @type {(fields: any) => {first: string, second: string}} */
export const chosenPlayers = ({ opponent, other, side }) => {
  if (side === "none" && opponent !== "person") return { first: opponent, second: other };
  const own = side === "random" ? ["first", "second"][Math.floor(2 * Math.random())] : side;
  return own === "second" ? { first: opponent, second: "person" } : { first: "person", second: opponent };
};

export const createNewGameDialog = (store, play) => {
  const { state } = store;
  const { levels } = state.catalogue;
  const choices = newGameOptions(levels);
  const fields = Object.keys(choices);

  const showFields = () => {
    const isAlone = byId("opponent").value !== "person";
    byId("side").disabled = !isAlone;
    byId("other").closest("label").hidden = !isAlone || byId("side").value !== "none";
  };

  store.view(["language"], () => {
    const all = words();
    const player = (name) => {
      const { kind, value } = parsePlayer(name);
      return kind === "person" ? all.friend : kind === "time" ? all.full(value) : all.levelOption(value, levels[value - 1]);
    };
    const labels = {
      opponent: player, other: player, side: (name) => all.sides[name], clock: (name) => all.clockName(parseClock(name)),
      size: (side) => `${side} × ${side}`,
    };
    for (const field of fields) byId(field).replaceChildren(...choices[field].map((value) => new Option(labels[field](value), value)));
    byId("size").add(new Option(all.boardHere, CURRENT_POSITION));
  });

  for (const field of ["opponent", "side"]) byId(field).addEventListener("change", showFields);
  onClick("new", () => {
    for (const field of fields) byId(field).value = state.settings[field];
    showFields();
    byId("new-game").showModal();
  });
  onClick("begin", () => {
    byId("new-game").close();
    const chosen = Object.fromEntries(fields.map((field) => [field, byId(field).value]));
    const options = { players: chosenPlayers(chosen), clock: chosen.clock };
    const goesOn = chosen.size === CURRENT_POSITION;
    store.configure({ ...chosen, ...(goesOn && { size: state.settings.size }) });
    return goesOn ? play.goOn(options) : play.begin({ boardXSize: Number(chosen.size) }, options);
  });
};
