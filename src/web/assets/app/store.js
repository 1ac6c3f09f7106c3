// The state of the page, in one place, and the signals between its parts. Actions change the state; views render
// from it.

/**
 * A store of named values. `set` changes some of them; each view that depends on one of these then renders once, after
 * the action that made the changes has ended. A signal tells its listeners at once what has happened:
 *
 *     moved(node, how, byHand)   a position came on the board, as game.js says
 *     ended(ending)              a game has ended just now, or a list of tasks: a result, or {title(), text()}
 *     lost(side, why)            the side to move has lost though it has moves: by "time" or "resignation"
 *     undone(node)               the person took this move back
 *     put(square)                a click on the board while a position is set up
 */
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
    /** Changes some settings. */
    configure: (some) => set({ settings: { ...state.settings, ...some } }),
    /** Calls `render()` whenever one of the values named in `keys` has changed. */
    view: (keys, render) => views.push({ keys, render }),
    /** Calls `hear` with what a signal says. */
    on: (signal, hear) => listeners.push({ signal, hear }),
    emit: (signal, ...what) => {
      for (const listener of listeners) if (listener.signal === signal) listener.hear(...what);
    },
  };
};
