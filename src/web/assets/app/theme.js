// Light or dark: as the system has it, or as the person chose. The style sheets ask for the system's
// choice; a choice of the person's rewrites what they ask.

export const THEMES = ["system", "light", "dark"];

/** @type {any[]} */
const all = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
const rules = all.filter(({ media }) => media?.mediaText.includes("prefers-color-scheme: dark"));

/** Shows the page in a theme. */
export const applyTheme = (theme) => {
  const conditions = { system: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };
  for (const rule of rules) rule.media.mediaText = conditions[theme];
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
};
