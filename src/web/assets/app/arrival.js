// The game that the page begins with: the game of the address, else the one that was kept, else a new one.

import { countAside, exchangeAside, gameOf, keptGame, latestAside, readAddress, setAside } from "./storage.js";
import { find } from "./tree.js";
import { attempt } from "./trouble.js";

/** Opens the games of addresses and kept games; `starts`: the start position of each board size. */
export const createArrival = (store, game, engine, starts) => {
  const { state } = store;

  /** Opens the game of an address. It replaces the person's own, which is set aside, unless that holds it. */
  const openLink = async (address, own) => {
    if (own?.tree.start === address.start && find(own.tree, address.moves)) {
      await game.restore(own.tree, address.moves.slice(0, address.at));
      return;
    }
    const answer = await game.open({ game: { position: address.start, moves: address.moves } }, { ply: address.at, linked: true });
    if (answer && own) setAside(store, own);
  };

  addEventListener("hashchange", () => {
    const address = readAddress(location.hash, starts);
    if (address) attempt(() => openLink(address, gameOf(state)));
  });

  return {
    /** Puts the latest game that a link or a file has replaced back on the board. */
    backToOwn: async () => {
      const own = latestAside();
      const other = gameOf(state);
      if (own && !(await game.restore(own.tree, own.moves))) return;
      exchangeAside(other);
      store.configure(own?.players ?? {});
      engine.proceed();
      store.set({ aside: countAside() });
    },

    /** Shows the game to begin with. Returns the kept game if it cannot be shown, or null. */
    begin: async () => {
      const kept = keptGame();
      const address = readAddress(location.hash, starts);
      let failed = !address;
      if (address) await attempt(() => openLink(address, kept), () => { failed = true; });
      if (!failed || !kept) return null;
      let unread = null;
      await attempt(() => game.restore(kept.tree, kept.moves), () => { unread = kept; });
      return unread;
    },
  };
};
