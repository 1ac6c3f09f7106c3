// Runs the engine as WebAssembly in workers, for a page without a server. One worker searches for
// the user's current position, one searches for reviews, and one answers short questions. Each
// worker starts with its first question.

import { words } from "./words.js";

/** A WebAssembly module to test the browser. A browser without SIMD instructions rejects it. */
const SIMD_TEST_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** The promise of the compiled engine, or null before the first question and after a failure. */
let compiled = null;

const compileEngine = async () => {
  if (!WebAssembly.validate(SIMD_TEST_MODULE)) throw new Error(words().noSimd);
  const response = await fetch(new URL("quiver.wasm", import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error(words().noEngine);
  return WebAssembly.compile(await response.arrayBuffer());
};

const module = () => {
  compiled ??= compileEngine().catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
};

/** Creates a function that starts its own worker when needed, and sends questions to the worker. */
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

  /** Stops a search. Without shared memory, ends the worker, so its search tree is lost. */
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

// Without a service worker, as on an insecure connection, the page works only online.
navigator.serviceWorker?.register("service-worker.js").catch(() => {});

export const ask = (name, question, signal, hear) => {
  const lane = name !== "analyze" ? others : question.priority ? searches : reviews;
  return lane(name, question, signal, (answer) => hear(answer));
};
