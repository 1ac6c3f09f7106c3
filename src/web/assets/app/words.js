// The language of the page, and its texts.

import { CHINESE } from "./chinese.js";
import { byId, selectAll } from "./elements.js";
import { ENGLISH } from "./english.js";
import { readStored, writeStored } from "./local-storage.js";

const WORDS = { en: ENGLISH, zh: CHINESE };
const STORAGE_KEY = "quiver.language";

let language = Object.hasOwn(WORDS, readStored(STORAGE_KEY)) ? readStored(STORAGE_KEY) : navigator.language.startsWith("zh") ? "zh" : "en";

export const words = () => WORDS[language];

export const currentLanguage = () => language;

/** Sets the language, and writes the texts of all elements whose `data-t` attribute has a key. */
export const useLanguage = (wanted = language) => {
  language = wanted;
  writeStored(STORAGE_KEY, wanted);
  const all = words();
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
  for (const node of selectAll("[data-t]")) node.textContent = all[node.dataset.t];
  for (const node of selectAll("[data-t-label]")) node.setAttribute("aria-label", all[node.dataset.tLabel]);
  for (const node of selectAll("[data-t-hint]")) node.placeholder = all[node.dataset.tHint];
  for (const node of selectAll("[data-t-title]")) {
    node.title = all[node.dataset.tTitle];
    node.setAttribute("aria-label", node.title);
  }
};

/** Sets up the list of languages. After a choice, calls `changed`, which should rewrite the texts
 * that scripts have put on the page. */
export const listenToLanguage = (changed) => {
  useLanguage();
  byId("language").value = language;
  byId("language").addEventListener("change", () => {
    useLanguage(byId("language").value);
    changed();
  });
};
