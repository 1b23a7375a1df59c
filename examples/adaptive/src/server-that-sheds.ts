/**
 * A server that does eight pieces of work at once, lets a few more wait for 100 ms at most, and refuses the others at
 * once, the least important first:
 *
 *     node server-that-sheds.ts [port]
 *
 * It tells its clients how long they waited here (`Server-Timing: queue;dur=`), which is the best signal that an
 * adaptive limit of theirs can have.
 */
import { createServer } from "node:http";
import { createConcurrencyLimit, fixed } from "@dt/adaptive";

const WORKERS = 8;
const WORK_MS = 20;

// What this server can work on at once is known here, so the limit is fixed. Under overload the last come is served
// first: the others have waited too long already.
const limit = createConcurrencyLimit({ name: "workers", algorithm: fixed(WORKERS), order: "lifo", maxWaiters: 100 });

const server = createServer(async (request, response) => {
  const arrivedMs = performance.now();
  // Health checks and the like say so in a header of yours; what says nothing is less important.
  const priority = request.headers["x-important"] === "yes" ? 1 : 0;
  const slot = await limit.acquire(1, { priority, timeout: "100ms" }).catch(() => undefined);
  if (slot === undefined) {
    response.writeHead(503, { "retry-after": "1" }).end();
    return;
  }
  const waitedMs = performance.now() - arrivedMs;
  try {
    await work();
    response.writeHead(200, { "server-timing": `queue;dur=${waitedMs.toFixed(1)}` }).end("done\n");
  } finally {
    slot.ignored();
  }
});

/** Stands for what the server does: 20 ms on one of its workers. */
function work(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WORK_MS));
}

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" && address?.port}`);
});

process.on("SIGTERM", async () => {
  server.close();
  await limit.drain({ timeout: "5s" });
});
