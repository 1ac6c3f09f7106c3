// The dialog of a new game: the opponent, the person's side, the board and the clock. Nothing changes until the person
// presses Play.

import { parseClock } from "./clock.js";
import { at } from "./elements.js";
import { parsePlayer } from "./players.js";
import { onClick } from "./trouble.js";
import { words } from "./words.js";

const SECONDS = [0.1, 0.5, 1, 3, 10, 30];
const CHOICES = {
  clock: ["0", "move:10", "move:30", "move:60", "game:60+1", "game:180+2", "game:300+3", "game:600+5", "game:900+10"],
  size: ["6", "8", "10"],
  side: ["first", "second", "random", "none"],
};
/** Stands in the list of boards for the position on the board: the game goes on from there. */
const HERE = "here";

/** The fields of the dialog, with what they are at first on a page whose board has this size. */
export const firstFields = (size) => ({ opponent: "level:3", other: "level:3", side: "first", clock: "0", size });

/** Whether a field of the dialog has this value. */
export const isChoice = (field, value, levels) => {
  if (CHOICES[field]) return CHOICES[field].includes(value);
  const { kind, value: number } = parsePlayer(String(value));
  const isPerson = value === "person" && field === "opponent";
  return isPerson || (kind === "level" && number >= 1 && number <= levels.length) || (kind === "time" && SECONDS.includes(number));
};

/** The players of a game by the fields of the dialog. @type {(fields: any) => {first: string, second: string}} */
export const chosenPlayers = ({ opponent, other, side }) => {
  if (side === "none" && opponent !== "person") return { first: opponent, second: other };
  const own = side === "random" ? ["first", "second"][Math.floor(2 * Math.random())] : side;
  return own === "second" ? { first: opponent, second: "person" } : { first: "person", second: opponent };
};

export const createNewGame = (store, play) => {
  const { state } = store;
  const { levels } = state.catalogue;
  const fields = Object.keys(firstFields());

  /** Only an engine leaves a choice of sides, and only who watches chooses both engines. */
  const showFields = () => {
    const isAlone = at("opponent").value !== "person";
    at("side").disabled = !isAlone;
    at("other").closest("label").hidden = !isAlone || at("side").value !== "none";
  };

  store.view(["language"], () => {
    const all = words();
    const engines = [
      ...levels.map((level, index) => [all.levelOption(index + 1, level), `level:${index + 1}`]),
      ...SECONDS.map((time) => [all.full(time), `time:${time}`]),
    ];
    const options = {
      opponent: [[all.friend, "person"], ...engines],
      other: engines,
      side: CHOICES.side.map((side) => [all.sides[side], side]),
      clock: CHOICES.clock.map((name) => [all.clockName(parseClock(name)), name]),
      size: [...CHOICES.size.map((side) => [`${side} × ${side}`, side]), [all.boardHere, HERE]],
    };
    for (const field of fields) at(field).replaceChildren(...options[field].map(([text, value]) => new Option(text, value)));
  });

  for (const field of ["opponent", "side"]) at(field).addEventListener("change", showFields);
  onClick("new", () => {
    for (const field of fields) at(field).value = state.settings[field];
    showFields();
    at("new-game").showModal();
  });
  onClick("begin", () => {
    at("new-game").close();
    const chosen = Object.fromEntries(fields.map((field) => [field, at(field).value]));
    const options = { players: chosenPlayers(chosen), clock: chosen.clock };
    const goesOn = chosen.size === HERE;
    store.configure({ ...chosen, ...(goesOn && { size: state.settings.size }) });
    return goesOn ? play.goOn(options) : play.begin({ boardXSize: Number(chosen.size) }, options);
  });
};
