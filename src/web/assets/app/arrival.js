// The game that the page begins with: the game of the address, else the one that was kept, else a new one.

import { asideGames, gameOf, keptGame, readAddress, setAside } from "./storage.js";
import { ownSide } from "./players.js";
import { find } from "./tree.js";
import { attempt } from "./trouble.js";

/** Opens the games of addresses and kept games; `starts`: the start position of each board size. */
export const createArrival = (store, game, starts) => {
  const { state } = store;

  /** Opens the game of an address, unless the person's own holds it. Returns whether it replaced that. */
  const openLink = async (address, own) => {
    if (own?.tree.start === address.start && find(own.tree, address.moves)) {
      await game.restore(own.tree, address.moves.slice(0, address.at));
      return false;
    }
    const query = { game: { position: address.start, moves: address.moves } };
    return Boolean(await game.open(query, { ply: address.at, linked: true }));
  };

  addEventListener("hashchange", () => {
    const address = readAddress(location.hash, starts);
    if (address) attempt(() => openLink(address, gameOf(state)));
  });

  return {
    /** Puts a game that another has replaced back on the board; `choose(games, back)` asks which, if there are several. */
    backToOwn: async (choose) => {
      const games = asideGames();
      const back = (index) => attempt(async () => {
        const [own] = games.splice(index, 1);
        const other = gameOf(state);
        if (own && !(await game.restore(own.tree, own.moves))) return;
        setAside(store, other, games);
        store.configure({ flipped: ownSide(state) === "second" });
      });
      if (games.length > 1) choose(games, back);
      else await back(0);
    },

    /** Shows the game to begin with. Returns the kept game if it cannot be shown, or null. */
    begin: async () => {
      const kept = keptGame();
      const address = readAddress(location.hash, starts);
      let failed = !address;
      if (address) {
        await attempt(async () => {
          if ((await openLink(address, kept)) && kept) setAside(store, kept);
        }, () => { failed = true; });
      }
      if (!failed || !kept) return null;
      let unread = null;
      await attempt(() => game.restore(kept.tree, kept.moves), () => { unread = kept; });
      return unread;
    },
  };
};
