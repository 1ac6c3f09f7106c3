// Buttons and keys: each calls an action.

const at = (id) => document.getElementById(id);

/** Lets buttons call the actions of their ids, and keys those in `keys`. A digit pins a move of the engine. */
export const createControls = (store, actions, keys) => {
  const { state } = store;
  for (const [id, action] of Object.entries(actions)) at(id).addEventListener("click", action);
  for (const button of document.querySelectorAll("dialog [data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target, detail, clientX, clientY }) => {
      const { left, top, right, bottom } = dialog.getBoundingClientRect();
      const isOutside = clientX < left || clientX > right || clientY < top || clientY > bottom;
      if (target === dialog && detail > 0 && isOutside) dialog.close();
    });
  }

  // A button that was clicked is done with: space is for analysis then.
  document.addEventListener("click", (event) => {
    if (event.detail > 0) event.target.closest("button")?.blur();
  });

  /** Pins the engine's move of this number, or unpins it. */
  const pin = (index) => store.set({ pinned: state.pinned === index ? null : index });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    // These have such keys themselves.
    if (event.target.closest("select, textarea, input:not([type=checkbox], [type=radio])")) return;
    if (event.key === " " && event.target.closest("button, input")) return;
    const action = keys[event.key] || keys[event.key.toLowerCase()] || (/^[1-6]$/.test(event.key) && (() => pin(Number(event.key) - 1)));
    if (!action) return;
    event.preventDefault();
    action();
  });
};
