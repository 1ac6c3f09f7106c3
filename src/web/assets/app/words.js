// The language of the page, and its texts.

import { CHINESE } from "./chinese.js";
import { at, each } from "./elements.js";
import { ENGLISH } from "./english.js";
import { read, write } from "./kept.js";

const WORDS = { en: ENGLISH, zh: CHINESE };
const KEY = "quiver.language";

let language = read(KEY) in WORDS ? read(KEY) : navigator.language.startsWith("zh") ? "zh" : "en";

/** Returns the texts in the current language. */
export const words = () => WORDS[language];

export const currentLanguage = () => language;

/** Sets the language, and fills every element that has a `data-t` attribute with its text. */
export const speak = (wanted = language) => {
  language = wanted;
  write(KEY, wanted);
  const all = words();
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
  for (const node of each("[data-t]")) node.textContent = all[node.dataset.t];
  for (const node of each("[data-t-label]")) node.setAttribute("aria-label", all[node.dataset.tLabel]);
  for (const node of each("[data-t-hint]")) node.placeholder = all[node.dataset.tHint];
  for (const node of each("[data-t-title]")) {
    node.title = all[node.dataset.tTitle];
    node.setAttribute("aria-label", node.title);
  }
};

/** Connects the list of languages. `changed()` redraws the texts that scripts have written. */
export const listenToLanguage = (changed) => {
  speak();
  at("language").value = language;
  at("language").addEventListener("change", () => {
    speak(at("language").value);
    changed();
  });
};
