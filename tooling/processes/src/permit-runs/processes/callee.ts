// The HTTP server that is called, in a process of its own. Says on which port it listens, and when it is told to stop,
// when each request came.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Arrival } from "../settings.ts";

const arrivals: Arrival[] = [];
const server = createServer((request, response) => {
  arrivals.push({ worker: Number(request.url?.slice(1)), atMs: performance.now() });
  response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`));
await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
process.stdout.write(`arrivals ${JSON.stringify(arrivals)}\n`, () => process.exit(0));
