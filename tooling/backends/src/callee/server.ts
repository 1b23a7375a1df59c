/**
 * A real HTTP server that can take only so much, in a process of its own: a pool of workers, each with one request at a time, and a queue before them, first in,
 * first out. A worker waits, as one does that waits for a database; so the pool is what is scarce, not the processor.
 *
 * Argument: {@link CalleeSettings} as JSON. It says `ready <port>`. Told `service <ms>`, later requests take so long; told `stats`, it says `stats <JSON>`.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { CalleeSettings, CalleeStats } from "./callee.ts";

const { workers, serviceMs, service, maxQueue, tellsQueueWait } = JSON.parse(process.argv[2] ?? "") as CalleeSettings;
const queue: { readonly answer: ServerResponse; readonly since: number }[] = [];
const stats = { received: 0, executed: 0, refused: 0, longestQueue: 0 } satisfies CalleeStats;
let meanMs = serviceMs;
let busy = 0;

const server = createServer((request, answer) => {
  request.resume();
  stats.received += 1;
  if (busy === workers && queue.length >= (maxQueue ?? Number.POSITIVE_INFINITY)) {
    stats.refused += 1;
    answer.writeHead(429, { "retry-after": "1" }).end();
    return;
  }
  queue.push({ answer, since: performance.now() });
  work();
  stats.longestQueue = Math.max(stats.longestQueue, queue.length);
});
server.keepAliveTimeout = 60_000;

function work(): void {
  while (busy < workers) {
    const next = queue.shift();
    if (next === undefined) return;
    busy += 1;
    const begun = performance.now();
    const lastsMs = service === "fixed" ? meanMs : -Math.log(1 - Math.random()) * meanMs;
    setTimeout(() => {
      busy -= 1;
      stats.executed += 1;
      if (tellsQueueWait) next.answer.setHeader("server-timing", `queue;dur=${(begun - next.since).toFixed(3)}`);
      next.answer.end("done\n");
      work();
    }, lastsMs);
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, value] = line.split(" ");
  if (word === "service") meanMs = Number(value);
  if (word === "stats") process.stdout.write(`stats ${JSON.stringify(stats)}\n`);
});
process.stdin.on("end", () => process.exit());
server.listen(0, "127.0.0.1", () => process.stdout.write(`ready ${(server.address() as AddressInfo).port}\n`));
