// Connects the board with the state of the page.

import { createBoard } from "./board.js";
import { byId } from "./elements.js";
import { mayMove } from "./players.js";
import { partsOf } from "./rules.js";
import { playMoveSound } from "./sound.js";
import { attempt } from "./messages.js";

export const connectBoard = (store, game) => {
  const { state } = store;

  const board = createBoard(byId("board"), {
    mayMove: () => mayMove(state),
    isEditing: () => state.mode === "setup",
    move: (move) => attempt(() => game.play(move), game.renew),
    // In a task, the verdict on the user's last try disappears when the user begins another try.
    chosen: (step) => store.set({ step, ...(state.task && step !== "amazon" && { advice: null }) }),
    looked: (name) => store.set({ square: name ?? null }),
    put: (name) => store.emit("put", name),
  });

  store.on("moved", ({ position: { fen, to_move }, move }, cause, byHand) => {
    const animated = move && (cause === "engine" || cause === "step" || cause === "play");
    const lands = board.show(fen, to_move, move, animated ? { ...partsOf(move), byHand } : null);
    if (animated && state.settings.sound) playMoveSound(lands);
  });
  store.view(["search", "mode", "tree", "language"], board.describe);

  return board;
};
