// A worker that runs the engine as WebAssembly and answers questions one after another.
//
// The first message has the compiled engine and `stopped`, which is a shared Int32Array or null.
// Later messages are questions with increasing numbers. To end a search, the page sets `stopped[0]`
// to the number of the search's question or of a later question.

let engine = null;
let stopped = null;
let number = 0;

const isStopped = () => stopped !== null && Atomics.load(stopped, 0) >= number;

const bytes = (start, length) => new Uint8Array(engine.memory.buffer, start, length);

const engineImports = {
  milliseconds: () => {
    if (isStopped()) engine.stop();
    return performance.now();
  },
  answer: (start, length) => {
    postMessage({ number, answer: JSON.parse(new TextDecoder().decode(bytes(start, length))) });
    return isStopped() ? 0 : 1;
  },
};

addEventListener("message", ({ data }) => {
  if (data.module) {
    engine = new WebAssembly.Instance(data.module, { quiver: engineImports }).exports;
    ({ stopped } = data);
    return;
  }
  ({ number } = data);
  const question = new TextEncoder().encode(JSON.stringify(data.question));
  bytes(engine.reserve(question.length), question.length).set(question);
  engine[data.name]();
  postMessage({ number, ended: true });
});
