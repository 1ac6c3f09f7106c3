// Learning: hints in steps, advice with a move that is taken back, and the mistakes of a game tried
// again one by one.

import { mistakesOf } from "./graph.js";
import { percent } from "./panel.js";
import { isOver, ownSide } from "./players.js";
import { partsOf } from "./rules.js";
import { lineThrough, lostBy } from "./tree.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

/** What a move may give away and still count as found. */
const GOOD_ENOUGH = 0.05;

export const createLearning = (store, game, engine) => {
  const { state } = store;

  // ---- Hints

  /** The next step: which amazon, where to, which arrow. */
  const hint = async () => {
    const { node, hint: given } = state;
    if (isOver(state) || state.mode === "setup" || state.search?.purpose === "play") return;
    if (given?.node === node) {
      store.set({ hint: given.step < 3 ? { ...given, step: given.step + 1 } : null });
      return;
    }
    store.set({ advice: words().lookingForHint });
    const ready = await engine.consult([node]);
    store.set({ advice: null });
    if (ready && node.known?.best && state.node === node) store.set({ hint: { node, step: 1, best: node.known.best } });
    if (state.analysing) engine.proceed();
  };

  // ---- Advice with a move taken back

  /** Says what the move of `node` gave away, once `node` is taken back. */
  const advise = async (node) => {
    const ready = await engine.consult([node.parent, node]);
    if (!ready || state.node.ply >= node.ply) return;
    const all = words();
    const lost = lostBy(node);
    const { best } = node.parent.known ?? {};
    if (lost !== null && best) {
      const better = best !== node.move && lost >= GOOD_ENOUGH;
      store.set({ advice: better ? all.advice(node.move, percent(lost), partsOf(best).from) : all.fine(node.move) });
    }
    engine.proceed();
  };

  // ---- The mistakes again

  const task = () => state.retry.mistakes[state.retry.at];

  const ask = async (at) => {
    const { mistakes } = state.retry;
    if (at >= mistakes.length) {
      store.set({ mode: "play", retry: null, paused: false, advice: words().retryDone(mistakes.length) });
      return;
    }
    store.set({ retry: { mistakes, at }, advice: words().retryTask(at + 1, mistakes.length, mistakes[at].move, percent(lostBy(mistakes[at]))) });
    await game.seek(mistakes[at].parent, "retry");
  };

  const begin = () => {
    const own = ownSide(state);
    const line = lineThrough(state.node);
    const mistakes = mistakesOf(line)
      .filter((node) => !own || node.parent.position.to_move === own)
      .sort((a, b) => a.ply - b.ply);
    if (mistakes.length === 0) {
      const reviewed = line.filter(({ known }) => known).length === line.length;
      store.set({ advice: reviewed ? words().noMistakes : words().reviewFirst });
      return;
    }
    store.set({ mode: "retry", analysing: false, paused: true, ending: null, retry: { mistakes, at: 0 } });
    ask(0);
  };

  /** Judges a move that was tried in place of a mistake. */
  const judge = async (node) => {
    const mistake = task();
    if (node.parent !== mistake.parent) return;
    const all = words();
    store.set({ advice: all.judging });
    const ready = await engine.consult([node.parent, node]);
    if (!ready || state.mode !== "retry" || task() !== mistake) return;
    // Two searches differ a little: the engine's own move gives nothing away.
    const lost = node.move === mistake.parent.known.best ? 0 : lostBy(node) ?? 0;
    const found = lost < GOOD_ENOUGH;
    store.set({ advice: found ? all.retryGood(node.move, percent(lost)) : all.retryBad(node.move, percent(lost)) });
    if (!found) await game.seek(mistake.parent, "retry");
  };

  const leave = () => store.set({ mode: "play", retry: null, paused: false, advice: null });

  store.view(["retry", "mode", "language"], () => {
    at("retrying").hidden = state.mode !== "retry";
    at("retry").hidden = state.mode === "retry";
  });
  store.view(["advice"], () => {
    at("advice").hidden = !state.advice;
    at("advice-text").textContent = state.advice ?? "";
  });

  at("hint").addEventListener("click", hint);
  at("retry").addEventListener("click", begin);
  at("retry-show").addEventListener("click", () => {
    const { parent } = task();
    // A position that comes on the board has no hint yet.
    game.seek(parent, "retry").then(() => store.set({ hint: { node: parent, step: 3, best: parent.known.best } }));
  });
  at("retry-next").addEventListener("click", () => ask(state.retry.at + 1));
  at("retry-leave").addEventListener("click", leave);
  at("advice-close").addEventListener("click", () => store.set({ advice: null }));

  return { hint, advise, judge };
};
