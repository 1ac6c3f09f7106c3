// A worker that runs the engine as WebAssembly and answers questions one after another.
//
// The first message has the compiled module and `stopped`, an Int32Array in shared memory, or null.
// A search ends when `stopped[0]` is at least the number of its question.

let engine = null;
let stopped = null;
let number = 0;

const isStopped = () => stopped !== null && Atomics.load(stopped, 0) >= number;

const bytes = (start, length) => new Uint8Array(engine.memory.buffer, start, length);

const quiver = {
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
    engine = new WebAssembly.Instance(data.module, { quiver }).exports;
    ({ stopped } = data);
    return;
  }
  ({ number } = data);
  const question = new TextEncoder().encode(JSON.stringify(data.question));
  bytes(engine.reserve(question.length), question.length).set(question);
  engine[data.name]();
  postMessage({ number, ended: true });
});
