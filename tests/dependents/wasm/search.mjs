// Runs the engine as WebAssembly: node search.mjs FILE.wasm prints the value of each search and a
// digest of evaluations on standard output, and the speed of each search on standard error.

import { readFile } from "node:fs/promises";

const embedder = { quiver: { milliseconds: () => performance.now() } };
const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), embedder);
for (const [side, playouts] of [[8, 4000], [10, 3000]]) {
    const begun = performance.now();
    const bits = new BigUint64Array([instance.exports.search(side, playouts)]);
    const speed = (1000 * playouts) / (performance.now() - begun);
    console.log(`${side}x${side} ${new Float64Array(bits.buffer)[0]}`);
    console.error(`${side}x${side}: ${speed.toFixed(0)} playouts/s`);
}
for (const side of [6, 8, 10]) {
    console.log(`${side}x${side} ${BigInt.asUintN(64, instance.exports.evaluate(side, 20))}`);
}
