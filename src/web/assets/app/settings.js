// Stores the settings, and connects the settings of the appearance.

import { DEPTHS } from "./review.js";
import { OVERLAYS } from "./drawing.js";
import { at } from "./elements.js";
import { read, write } from "./kept.js";
import { choicesOf } from "./newgame.js";
import { onClick } from "./trouble.js";
import { words } from "./words.js";

const KEY = "quiver.settings";
const THEMES = ["system", "light", "dark"];
const USUAL = {
  opponent: "level:3", other: "level:3", side: "first", clock: "0",
  overlay: "none", arrows: true, details: false, sound: false, theme: "system", depth: 1, flipped: false,
};

/** Returns the stored settings. A missing or invalid value is replaced by its default. */
export const firstSettings = ({ levels, game }) => {
  const kept = read(KEY) ?? {};
  const choices = { ...choicesOf(levels), overlay: OVERLAYS, theme: THEMES, depth: [...DEPTHS.keys()] };
  // The rules are shown on the first visit.
  const usual = { ...USUAL, size: String(game.width), welcome: Object.keys(kept).length === 0 };
  const isKnown = (name) => name in kept && (choices[name]?.includes(kept[name]) ?? true);
  return Object.fromEntries(Object.keys(usual).map((name) => [name, isKnown(name) ? kept[name] : usual[name]]));
};

export const createSettings = (store) => {
  const { state } = store;

  store.view(["language"], () => {
    const all = words();
    at("theme").replaceChildren(...THEMES.map((theme) => new Option(all.themes[theme], theme)));
    at("depth").replaceChildren(...DEPTHS.map((_, index) => new Option(all.depths[index], String(index))));
    store.touch("settings");
  });

  store.view(["settings"], () => {
    const { depth, sound, theme, flipped } = state.settings;
    at("depth").value = depth;
    at("sound").setAttribute("aria-checked", sound);
    at("theme").value = theme;
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    at("board").classList.toggle("turned", flipped);
    write(KEY, state.settings);
  });

  // The colours are set before the engine has answered.
  store.touch("language");
  at("theme").addEventListener("change", () => store.configure({ theme: at("theme").value }));
  at("depth").addEventListener("change", () => store.configure({ depth: Number(at("depth").value) }));
  onClick("open-display", () => at("display").showModal());
  for (const name of ["details", "sound"]) onClick(name, () => store.configure({ [name]: !state.settings[name] }));
  onClick("flip", () => store.configure({ flipped: !state.settings.flipped }));
};
