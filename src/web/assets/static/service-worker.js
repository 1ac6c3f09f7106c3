// Caches the page for use without a network, and makes it cross-origin isolated, so that its
// workers may share memory. tests/release/page fills in the file names, and a version that depends
// on them.

const FILES = ["FILES"];
const CACHE = `${registration.scope} VERSION`;

addEventListener("install", (event) => {
  const add = async () => (await caches.open(CACHE)).addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  event.waitUntil(add());
});

addEventListener("activate", (event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(`${registration.scope} `) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidy());
});

/** Returns the response with the headers for cross-origin isolation. */
const isolated = (response) => {
  const headers = new Headers(response.headers);
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("cross-origin-embedder-policy", "require-corp");
  headers.set("cross-origin-resource-policy", "same-origin");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
};

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  const answer = async () => {
    const kept = await (await caches.open(CACHE)).match(request, { ignoreSearch: true });
    return isolated(kept ?? await fetch(request));
  };
  event.respondWith(answer());
});
