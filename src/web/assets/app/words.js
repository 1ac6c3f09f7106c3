// The language of the page, and the words of it.

import { CHINESE } from "./chinese.js";
import { at, each } from "./elements.js";
import { ENGLISH } from "./english.js";
import { read, write } from "./kept.js";

const WORDS = { en: ENGLISH, zh: CHINESE };
const KEY = "quiver.language";

let language = read(KEY) in WORDS ? read(KEY) : navigator.language.startsWith("zh") ? "zh" : "en";

/** The words of the language in use. */
export const words = () => WORDS[language];

export const currentLanguage = () => language;

/** Puts the words of a language into every element that asks for some. */
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

/** Speaks the language in use, and lets the list of languages choose one; `changed()` shows what is not in the page's elements. */
export const listenToLanguage = (changed) => {
  speak();
  at("language").value = language;
  at("language").addEventListener("change", () => {
    speak(at("language").value);
    changed();
  });
};
