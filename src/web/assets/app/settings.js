// Stores all settings, and connects the fields and buttons that change the page's appearance.

import { REVIEW_PLAYOUTS } from "./review.js";
import { OVERLAYS } from "./drawing.js";
import { byId } from "./elements.js";
import { readStored, writeStored } from "./local-storage.js";
import { newGameOptions } from "./newgame.js";
import { onClick } from "./messages.js";
import { words } from "./words.js";

const STORAGE_KEY = "quiver.settings";
const THEMES = ["system", "light", "dark"];
const DEFAULTS = {
  opponent: "level:3", other: "level:3", side: "first", clock: "0",
  overlay: "none", arrows: true, details: false, sound: false, theme: "system", depth: 1, flipped: false,
};

/** Returns the settings from the browser's storage, with defaults for missing or invalid values. */
export const initialSettings = ({ levels, game }) => {
  const stored = readStored(STORAGE_KEY);
  const kept = typeof stored === "object" && stored !== null ? stored : {};
  const choices = { ...newGameOptions(levels), overlay: OVERLAYS, theme: THEMES, depth: [...REVIEW_PLAYOUTS.keys()] };
  // `welcome` shows the rules on the first visit, when nothing is stored yet.
  const usual = { ...DEFAULTS, size: String(game.width), welcome: Object.keys(kept).length === 0 };
  const isKnown = (name) => name in kept && (choices[name]?.includes(kept[name]) ?? true);
  return Object.fromEntries(Object.keys(usual).map((name) => [name, isKnown(name) ? kept[name] : usual[name]]));
};

export const createSettings = (store) => {
  const { state } = store;

  store.view(["language"], () => {
    const all = words();
    byId("theme").replaceChildren(...THEMES.map((theme) => new Option(all.themes[theme], theme)));
    byId("depth").replaceChildren(...REVIEW_PLAYOUTS.map((_, index) => new Option(all.depths[index], String(index))));
    store.touch("settings");
  });

  store.view(["settings"], () => {
    const { depth, sound, theme, flipped } = state.settings;
    byId("depth").value = depth;
    byId("sound").setAttribute("aria-checked", sound);
    byId("theme").value = theme;
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    byId("board").classList.toggle("turned", flipped);
    writeStored(STORAGE_KEY, state.settings);
  });

  // Marks the language as changed, so that the first view above fills the lists of choices. This
  // view then marks the settings as changed, so that the second view applies them.
  store.touch("language");
  byId("theme").addEventListener("change", () => store.configure({ theme: byId("theme").value }));
  byId("depth").addEventListener("change", () => store.configure({ depth: Number(byId("depth").value) }));
  onClick("open-display", () => byId("display").showModal());
  for (const name of ["details", "sound"]) onClick(name, () => store.configure({ [name]: !state.settings[name] }));
  onClick("flip", () => store.configure({ flipped: !state.settings.flipped }));
};
