// The backend of a page without a server: the engine as WebAssembly in three workers, for searches
// that the user waits for, for reviews, and for short questions. Each worker starts when it is
// needed.

import { words } from "./words.js";

/** A WebAssembly module with one SIMD instruction, which a browser without SIMD rejects. */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** A promise of the compiled engine. After a failure, the next question compiles it again. */
let compiled = null;

const compile = async () => {
  if (!WebAssembly.validate(SIMD_MODULE)) throw new Error(words().noSimd);
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

/** Creates a function that sends questions to one worker, with the open questions by number. */
const createWorkerClient = () => {
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

  /** Ends a search through shared memory, or else ends its worker, which loses the search tree. */
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

const [searches, reviews, others] = [createWorkerClient(), createWorkerClient(), createWorkerClient()];

// Without a secure connection there is no service worker, and the page does not work offline.
navigator.serviceWorker?.register("service-worker.js").catch(() => {});

/** Sends a question to a worker and calls `hear` with each answer. */
export const ask = (name, question, signal, hear) => {
  const lane = name !== "analyze" ? others : question.priority ? searches : reviews;
  return lane(name, question, signal, (answer) => hear(answer));
};
