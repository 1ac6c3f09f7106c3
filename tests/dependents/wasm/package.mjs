// Tests the npm package in FOLDER as a user's program would use it: node package.mjs FOLDER.

import assert from "node:assert/strict";
import { resolve } from "node:path";

const { legalMoves, load } = await import(resolve(process.argv[2], "index.js"));
const [engine, game] = [await load(), { boardXSize: 10, moves: "d1-d7/g7" }];
const fens = engine.game({ game }).positions.map(({ fen }) => fen);
assert.equal(legalMoves(fens[0]).length, 2176);
for (const text of ["", "startpos", fens[0].split(" ")[0]]) assert.throws(() => legalMoves(text), /expected a FEN/);
const { moveInfos, playouts } = engine.analyze({ ...game, maxVisits: 100 });
assert.equal(playouts, 100);
assert.ok(legalMoves(fens[1]).includes(moveInfos[0].move));
assert.ok(legalMoves(fens[1]).includes(engine.move({ game, level: 1 }).move));
assert.deepEqual(engine.game(engine.save({ game, form: "sgf" })).moves, ["d1-d7/g7"]);

const endless = { ...game, reportDuringSearchEvery: 0.01, overrideSettings: { maxTime: 600 } };
assert.equal(engine.analyze(endless, () => false).stop, "stopped");
assert.throws(() => engine.analyze(endless, () => engine.game({ game })), /while the engine answers/);
assert.throws(() => engine.analyze({ ...game, maxVisits: 0 }), { field: "maxVisits" });
