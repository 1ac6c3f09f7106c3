// What the browser keeps between visits, as JSON. Where its storage is off or full, nothing is kept.

/** The value that is kept by a name, or null. */
export const read = (name) => {
  try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
};

/** Keeps a value by a name. */
export const write = (name, value) => {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* Nothing is kept, then. */ }
};
