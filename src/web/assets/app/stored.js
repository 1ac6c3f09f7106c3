// Reads and writes JSON in local storage. If the storage is disabled or full, nothing is stored.

/** Returns the stored value with this name, or null. */
export const read = (name) => {
  try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
};

/** Stores a value with a name. */
export const write = (name, value) => {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* The value is not stored. */ }
};
