// Caches the page, so that it works without a network. Also makes it cross-origin isolated, so that
// it can share memory with its workers. The script tests/release/page inserts the names of the
// page's files and a version, which changes whenever one of these files changes.

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

const withIsolationHeaders = (response) => {
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
    return withIsolationHeaders(kept ?? await fetch(request));
  };
  event.respondWith(answer());
});
