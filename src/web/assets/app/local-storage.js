// Reads and writes JSON in local storage. If the storage is disabled or full, nothing is stored.

/** Returns the value that is stored under a name, or null. */
export const readStored = (name) => {
  try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
};

export const writeStored = (name, value) => {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* The storage is disabled or full. */ }
};
