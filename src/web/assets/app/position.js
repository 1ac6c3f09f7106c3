// The position of the store on the board, with the motion and the sound of the move that led there.

import { partsOf } from "./rules.js";
import { soundOfMove } from "./sound.js";

/** Shows positions on a board. */
export const createPosition = (store, board) => {
  const { state } = store;
  let framed = "";
  return {
    /** Draws the board anew with the next position: the editor may have left one of another size. */
    renew: () => { framed = ""; },

    /** `how` the position came on the board, as in `moved` of main.js; `byHand`: the person has moved the amazon already. */
    show: (how, byHand) => {
      const { node, tree: { width, height } } = state;
      if (framed !== `${width}x${height}`) {
        framed = `${width}x${height}`;
        board.setFrame(width, height);
      }
      const { fen, to_move } = node.position;
      const animated = node.move && (how === "engine" || how === "step" || how === "play");
      const lands = board.show(fen, to_move, node.move, animated ? { ...partsOf(node.move), byHand } : null);
      if (animated && state.settings.sound) soundOfMove(lands);
    },
  };
};
