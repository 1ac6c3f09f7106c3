// Holds the state of the page, which actions change and views draw. Also passes signals, which
// report events, from one module to others.

/** Creates a store of named values, `state`. `set` changes values. After the current action, each
 * view that depends on a changed value is drawn once. `emit` sends one of these signals to its
 * listeners at once:
 *
 *     moved(node, cause, byHand) the board shows another node; game.js explains the parameters
 *     ended(ending)              a game has ended, and `ending` has {winner, why}; or a list of
 *                                tasks has ended, and `ending` has {title(), text()}
 *     lost(side, why)            the side to move has lost by "time" or "resignation"
 *     undone(node)               the user has taken back the move of this node
 *     put(square)                the user has clicked a square to set up a position */
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
    configure: (some) => set({ settings: { ...state.settings, ...some } }),
    view: (keys, render) => views.push({ keys, render }),
    on: (signal, hear) => listeners.push({ signal, hear }),
    emit: (signal, ...what) => {
      for (const listener of listeners) if (listener.signal === signal) listener.hear(...what);
    },
  };
};
