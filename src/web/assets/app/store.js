// The state of the page, in one place. Actions change it; views render from it.

/**
 * A store of named values. `set` changes some of them; each view that depends on one of these then renders once, after
 * the action that made the changes has ended.
 */
export const createStore = (state) => {
  const views = [];
  let changed = new Set();

  const render = () => {
    const keys = changed;
    changed = new Set();
    for (const view of views) if (view.keys.some((key) => keys.has(key))) view.render(state, keys);
  };

  const touch = (...keys) => {
    if (changed.size === 0) queueMicrotask(render);
    for (const key of keys) changed.add(key);
  };

  const set = (values) => {
    const keys = Object.keys(values).filter((key) => state[key] !== values[key]);
    Object.assign(state, values);
    if (keys.length) touch(...keys);
  };

  return {
    state,
    touch,
    set,
    /** Changes some settings. */
    configure: (some) => set({ settings: { ...state.settings, ...some } }),
    /** Renders `render(state, keys)` whenever one of the values named in `keys` has changed. */
    view: (keys, render) => views.push({ keys, render }),
  };
};
