// The backend of a page without a server: the engine as WebAssembly in workers.
//
// Three workers, each begun when it is first needed: one for a search that the person waits for, one
// for a review, and one for all that is answered at once.

import { words } from "./words.js";

/** An empty function that has a value of 128 bits: a browser without SIMD refuses it. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** The compiled engine. A failure is tried again with the next question. */
let compiled = null;

const compile = async () => {
  if (!WebAssembly.validate(SIMD)) throw new Error(words().noSimd);
  const response = await fetch(new URL("quiver.wasm", import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error(words().noEngine);
  return WebAssembly.compile(await response.arrayBuffer());
};

const module = () => {
  compiled ??= compile().catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
};

/** A worker and the questions that it has not answered to the end, by their numbers. */
const createLane = () => {
  const open = new Map();
  const stopped = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  let worker = null;
  let last = 0;

  const end = (error) => {
    worker?.terminate();
    worker = null;
    for (const { reject } of open.values()) reject(error);
    open.clear();
  };

  const begin = (engine) => {
    worker = new Worker(new URL("worker.js", import.meta.url));
    worker.onmessage = ({ data: { number, answer, ended } }) => {
      const question = open.get(number);
      if (!question) return;
      try {
        if (!ended) return question.hear(answer);
        question.resolve();
      } catch (error) {
        question.reject(error);
      }
      open.delete(number);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(new Error(words().engineStopped(event.message ?? "")));
    };
    worker.postMessage({ module: engine, stopped });
  };

  /** Ends the search of a question: by the number in shared memory, or with its worker and the tree in it. */
  const stop = (number) => {
    if (!open.delete(number)) return;
    if (stopped) Atomics.store(stopped, 0, number);
    else end(new DOMException("", "AbortError"));
  };

  return async (name, question, signal, hear) => {
    const engine = await module();
    signal?.throwIfAborted();
    if (!worker) begin(engine);
    const number = ++last;
    await new Promise((resolve, reject) => {
      open.set(number, { hear, resolve, reject });
      signal?.addEventListener("abort", () => {
        if (name === "analyze") stop(number);
        reject(signal.reason);
      });
      worker.postMessage({ number, name, question });
    });
  };
};

const [searches, reviews, others] = [createLane(), createLane(), createLane()];

// Absent where the page does not come over a secure connection: then it needs the network, and nothing else changes.
navigator.serviceWorker?.register("service-worker.js").catch(() => {});

/** Asks the engine a question; `hear` is told each answer. An error is one for people, with the wrong field. */
export const ask = (name, question, signal, hear) => {
  const lane = name !== "analyze" ? others : question.priority ? searches : reviews;
  return lane(name, question, signal, (answer) => hear(answer));
};
