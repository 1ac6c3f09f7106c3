// The controls of a game: who plays, the clock, the board. They show the settings and change them.

import { keptSettings } from "./storage.js";
import { DEPTHS } from "./review.js";
import { OVERLAYS } from "./drawing.js";
import { SIDES, parsePlayer } from "./players.js";
import { parseClock } from "./clock.js";
import { THEMES, applyTheme } from "./theme.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

const SECONDS = [0.1, 0.5, 1, 3, 10, 30];
const CLOCKS = ["0", "move:10", "move:30", "move:60", "game:60+1", "game:180+2", "game:300+3", "game:600+5", "game:900+10"];
export const SIZES = ["6", "8", "10"];

const USUAL = {
  first: "person", second: "level:3", clock: "0", size: "10", overlay: "none", arrows: true, details: false, sound: false, theme: "system", welcome: true,
  depth: 1, flipped: false, chosen: null,
};

/** The settings that were kept, with the usual ones for what is missing or unknown. */
export const firstSettings = (levels, size) => {
  const before = keptSettings();
  // The rules are for the first visit.
  const kept = { ...USUAL, size, welcome: Object.keys(before).length === 0, ...before };
  const isPlayer = (name) => {
    const { kind, value } = parsePlayer(String(name));
    return name === "person" || (kind === "level" && value >= 1 && value <= levels.length) || (kind === "time" && SECONDS.includes(value));
  };
  for (const side of SIDES) if (!isPlayer(kept[side])) kept[side] = USUAL[side];
  const known = { clock: CLOCKS, size: SIZES, overlay: OVERLAYS, theme: THEMES };
  for (const [name, values] of Object.entries(known)) if (!values.includes(kept[name])) kept[name] = USUAL[name];
  if (!Object.hasOwn(DEPTHS, kept.depth)) kept.depth = USUAL.depth;
  return Object.fromEntries(Object.keys(USUAL).map((name) => [name, kept[name]]));
};

/** Fills the lists; `changed(name)` is told which setting the person has changed. */
export const createSettings = (store, levels, changed) => {
  const { state } = store;
  const lists = { first: at("player-first"), second: at("player-second"), clock: at("clock"), size: at("size") };

  store.view(["language"], () => {
    const all = words();
    for (const side of SIDES) {
      lists[side].replaceChildren(
        new Option(all.person, "person"),
        ...levels.map((level, index) => new Option(all.levelOption(index + 1, level), `level:${index + 1}`)),
        ...SECONDS.map((time) => new Option(all.full(time), `time:${time}`)),
      );
    }
    lists.clock.replaceChildren(...CLOCKS.map((name) => new Option(all.clockName(parseClock(name)), name)));
    at("theme").replaceChildren(...THEMES.map((theme) => new Option(all.themes[theme], theme)));
    at("depth").replaceChildren(...DEPTHS.map((_, index) => new Option(all.depths[index], index)));
    store.touch("settings");
  });

  store.view(["settings"], () => {
    for (const [name, list] of Object.entries(lists)) list.value = state.settings[name];
    at("depth").value = state.settings.depth;
    at("sound").setAttribute("aria-checked", state.settings.sound);
    at("theme").value = state.settings.theme;
    applyTheme(state.settings.theme);
    at("board").classList.toggle("turned", state.settings.flipped);
  });

  applyTheme(state.settings.theme);
  at("theme").addEventListener("change", () => store.configure({ theme: at("theme").value }));
  at("open-display").addEventListener("click", () => at("display").showModal());
  for (const [name, list] of Object.entries(lists)) {
    list.addEventListener("change", () => {
      store.configure({ [name]: list.value, ...(name !== "size" && { chosen: null }) });
      changed(name);
    });
  }
};
