// The language of the page, and the words of it.

import { CHINESE } from "./chinese.js";
import { each } from "./elements.js";
import { ENGLISH } from "./english.js";

const WORDS = { en: ENGLISH, zh: CHINESE };
const KEY = "language";

const stored = () => {
  try { return localStorage.getItem(KEY); } catch { return null; }
};

let language = stored() in WORDS ? stored() : navigator.language.startsWith("zh") ? "zh" : "en";

/** The words of the language in use. */
export const words = () => WORDS[language];

export const currentLanguage = () => language;

/** Puts the words of a language into every element that asks for some. */
export const speak = (wanted = language) => {
  language = wanted;
  try { localStorage.setItem(KEY, wanted); } catch { /* The choice is not kept, then. */ }
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
