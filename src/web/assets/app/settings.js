// What the page keeps between visits, and the settings of its look, which act at once.

import { keptSettings } from "./storage.js";
import { DEPTHS } from "./review.js";
import { OVERLAYS } from "./drawing.js";
import { at } from "./elements.js";
import { firstFields, isChoice } from "./newgame.js";
import { THEMES, applyTheme } from "./theme.js";
import { onClick } from "./trouble.js";
import { words } from "./words.js";

const USUAL = { overlay: "none", arrows: true, details: false, sound: false, theme: "system", depth: 1, flipped: false };

/** The settings that were kept, with the usual ones for what is missing or unknown. */
export const firstSettings = ({ levels, game }) => {
  const before = keptSettings();
  const fields = firstFields(String(game.width));
  // The rules are for the first visit.
  const usual = { ...USUAL, ...fields, welcome: Object.keys(before).length === 0 };
  const kept = { ...usual, ...before };
  for (const name of Object.keys(fields)) if (!isChoice(name, kept[name], levels)) kept[name] = usual[name];
  for (const [name, values] of Object.entries({ overlay: OVERLAYS, theme: THEMES })) if (!values.includes(kept[name])) kept[name] = usual[name];
  if (!Object.hasOwn(DEPTHS, kept.depth)) kept.depth = usual.depth;
  return Object.fromEntries(Object.keys(usual).map((name) => [name, kept[name]]));
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
    at("depth").value = state.settings.depth;
    at("sound").setAttribute("aria-checked", state.settings.sound);
    at("theme").value = state.settings.theme;
    applyTheme(state.settings.theme);
    at("board").classList.toggle("turned", state.settings.flipped);
  });

  applyTheme(state.settings.theme);
  at("theme").addEventListener("change", () => store.configure({ theme: at("theme").value }));
  at("depth").addEventListener("change", () => store.configure({ depth: Number(at("depth").value) }));
  onClick("open-display", () => at("display").showModal());
  for (const name of ["details", "sound"]) onClick(name, () => store.configure({ [name]: !state.settings[name] }));
  onClick("flip", () => store.configure({ flipped: !state.settings.flipped }));
};
