// The state of the page, and the signals between its modules. Actions change the state; views draw
// it.

/** Creates a store of named values. `set` changes values; the views that depend on them are then
 * drawn once, after the current action. `emit` calls the listeners of a signal at once. Signals:
 *
 *     moved(node, how, byHand)   a position is shown; createGame in game.js explains the values
 *     ended(ending)              a game ended by a result, or a list of tasks by {title(), text()}
 *     lost(side, why)            the side to move has lost by "time" or "resignation"
 *     undone(node)               the user has taken this move back
 *     put(square)                the user clicked a square while setting up a position */
export const createStore = (state) => {
  const views = [];
  const listeners = [];
  let changed = new Set();

  const render = () => {
    const keys = changed;
    changed = new Set();
    for (const view of views) if (view.keys.some((key) => keys.has(key))) view.render();
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
    /** Changes some of the user's settings. */
    configure: (some) => set({ settings: { ...state.settings, ...some } }),
    /** Calls `render()` whenever one of the values named in `keys` has changed. */
    view: (keys, render) => views.push({ keys, render }),
    /** Calls `hear` with the values of a signal each time it is emitted. */
    on: (signal, hear) => listeners.push({ signal, hear }),
    emit: (signal, ...what) => {
      for (const listener of listeners) if (listener.signal === signal) listener.hear(...what);
    },
  };
};
