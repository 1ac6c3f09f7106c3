// Opens the first game of the page: the game in the page's address, or the user's stored game. If a
// game from an address has replaced the user's game, the user can open the replaced game again.

import { gameOf, keepReplacedGame, keptGame, readAddress, replacedGames } from "./storage.js";
import { byId } from "./elements.js";
import { SIDES, ownSide } from "./players.js";
import { playerName } from "./player-bars.js";
import { findNode } from "./tree.js";
import { attempt, onClick } from "./messages.js";
import { words } from "./words.js";

const labelOf = (state, { tree, moves }) => {
  const names = SIDES.map((side) => playerName({ ...state, tree }, side)).join(" – ");
  return `${names} · ${tree.width} × ${tree.height} · ${words().pliesPlayed(moves.length)}`;
};

/** Creates the functions that open the game in the page's address or a stored game. If several
 * games are stored, `choose(labels, pick)` lets the user choose one. */
export const createGameOpener = (store, game, choose) => {
  const { state } = store;
  const { starts } = state.catalogue;

  /** Shows the game of an address at the address's ply. If the user's game `own` has all moves of
   * that game, shows `own` at this ply. Returns true if the game of the address replaced `own`, and
   * null if the page made another request before the answer came. */
  const openLink = async (address, own) => {
    if (own?.tree.start === address.start && findNode(own.tree, address.moves)) {
      return (await game.restore(own.tree, address.moves.slice(0, address.at))) ? false : null;
    }
    const query = { game: { position: address.start, moves: address.moves } };
    return (await game.open(query, { ply: address.at, linked: true })) ? true : null;
  };

  addEventListener("hashchange", () => {
    const address = readAddress(location.hash, starts);
    if (address) attempt(() => openLink(address, gameOf(state)));
  });

  onClick("back-to-own", () => {
    const games = replacedGames();
    const back = (index) => attempt(async () => {
      const [own] = games.splice(index, 1);
      const other = gameOf(state);
      if (own && !(await game.restore(own.tree, own.moves))) return;
      keepReplacedGame(store, other, games);
      store.configure({ flipped: ownSide(state) === "second" });
    });
    return games.length > 1 ? choose(games.map((one) => labelOf(state, one)), back) : back(0);
  });
  store.view(["replaced"], () => { byId("back-to-own").hidden = state.replaced === 0; });

  return {
    /** Shows the page's first game. Returns the stored game if it is neither shown nor kept, else null. */
    begin: async () => {
      const kept = keptGame();
      const address = readAddress(location.hash, starts);
      let failed = !address;
      let unread = null;
      if (address) {
        await attempt(async () => {
          const replaced = await openLink(address, kept);
          if (replaced && kept) keepReplacedGame(store, kept);
          if (replaced === null) unread = kept;
        }, () => { failed = true; });
      }
      if (!failed || !kept) return unread;
      await attempt(async () => {
        if (!(await game.restore(kept.tree, kept.moves))) unread = kept;
      }, () => { unread = kept; });
      return unread;
    },
  };
};
