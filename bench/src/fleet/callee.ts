/**
 * The callee, in a process of its own: answers 200 to what it allows and 429 to the rest. Tells its address, and its
 * books when it is told the stretch that counts. `node callee.ts '<allowance as JSON>' <workers>`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hear, localMs, tell } from "../processes/child-side.ts";
import { mostWithin } from "../rate-accuracy/windows.ts";
import type { Allowance, CalleeBooks, Stretch } from "./plan.ts";
import { SlidingLog } from "./sliding-log.ts";

const [allowance = "", workers] = process.argv.slice(2);
const { limit, windowMs } = JSON.parse(allowance) as Allowance;
const log = new SlidingLog({ limit, windowMs });
const calls = Array.from({ length: Number(workers) }, () => ({ accepted: 0, refused: 0 }));
const cameMs: number[] = [];
const acceptedMs: number[] = [];

const server = createServer((request, response) => {
  const nowMs = performance.now();
  const own = calls[Number(request.url?.slice(1))];
  if (own === undefined) {
    response.writeHead(404).end();
    return;
  }
  cameMs.push(nowMs);
  if (log.accepts(nowMs)) {
    own.accepted += 1;
    acceptedMs.push(nowMs);
    response.end("ok");
  } else {
    own.refused += 1;
    response.writeHead(429).end();
  }
});
// Never closes a connection that nothing comes over for a while: a call may be on its way there.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => tell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

const stretch = await hear<Stretch>();
const [fromMs, toMs] = [localMs(stretch.fromMs), localMs(stretch.toMs)];
const books: CalleeBooks = {
  calls,
  accepted: acceptedMs.filter((atMs) => atMs >= fromMs && atMs < toMs).length,
  fullestWindow: mostWithin(cameMs, windowMs),
};
tell(books);
