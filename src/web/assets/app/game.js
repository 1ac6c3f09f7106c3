// The game on the page: its positions as the server has drawn them, where we stand in it, and what is known of each.

import { askGame } from "./server.js";

export const createGame = (changed) => {
  const game = { start: "", moves: [], positions: [], ply: 0, known: [], about: [], width: 0, height: 0 };
  // Of two requests under way the later one counts.
  let request = 0;

  const ask = async (query) => {
    const mine = ++request;
    const answer = await askGame(query);
    return mine === request ? answer : null;
  };

  /** Takes a whole game as the server tells it; stands at its end unless told otherwise. */
  game.load = (answer, ply = answer.moves.length) => {
    const { start, moves, positions, about, width, height } = answer;
    Object.assign(game, { start, moves, positions, about, width, height, ply, known: [] });
    changed({ board: answer.board });
  };

  game.open = async (query) => {
    const answer = await ask(query);
    if (answer) game.load(answer, query.text === undefined ? undefined : answer.moves.length);
    return answer !== null;
  };

  /** Plays a move where we stand; what came after is gone, unless it is the same move. */
  game.play = async (move) => {
    if (game.moves[game.ply] === move) return game.seek(game.ply + 1);
    const moves = [...game.moves.slice(0, game.ply), move];
    const answer = await ask({ position: game.start, moves, since: moves.length });
    if (!answer) return;
    game.moves = moves;
    game.positions = [...game.positions.slice(0, moves.length), ...answer.positions];
    game.known = game.known.slice(0, moves.length);
    game.ply = moves.length;
    changed({});
  };

  game.seek = (ply) => {
    const wanted = Math.min(Math.max(ply, 0), game.moves.length);
    if (wanted === game.ply) return;
    game.ply = wanted;
    changed({});
  };

  game.here = () => game.positions[game.ply];
  game.atEnd = () => game.ply === game.moves.length;

  /** Keeps an answer about a position, unless more is known already. */
  game.learn = (ply, answer) => {
    const weight = ({ playouts, reused, proven }) => (proven ? Infinity : playouts + reused);
    const before = game.known[ply];
    if (!before || weight(answer) >= weight(before)) game.known[ply] = answer;
  };

  /** What each move cost its player, as far as both positions are known: [{ply, lost}], dearest first. */
  game.losses = () => {
    const losses = [];
    for (let ply = 1; ply <= game.moves.length; ply++) {
      const [before, after] = [game.known[ply - 1], game.known[ply]];
      if (!before || !after) continue;
      const given = before.to_move === "first" ? before.first - after.first : after.first - before.first;
      if (given > 0) losses.push({ ply, lost: given, best: before.best });
    }
    return losses.sort((a, b) => b.lost - a.lost);
  };

  return game;
};
