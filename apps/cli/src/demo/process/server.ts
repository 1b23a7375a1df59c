import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { nowMs } from "../clock.ts";
import { SlidingWindow } from "../sliding-window.ts";
import { ArrivalLog } from "./arrivals.ts";
import type { FromServer, ToServer } from "./messages.ts";
import { Parent, removeScratch } from "./parent.ts";
import { raisePriority } from "./priority.ts";

/** Request headers by which the demo's workers say who they are and when they were granted the token. */
export const WORKER_HEADER = "x-dt-worker";
export const GRANTED_HEADER = "x-dt-granted-ms";

const COUNT_EVERY_MS = 200;

/**
 * The callee: a server that allows `max` requests in any sliding window and answers 429 beyond. In a process of its
 * own, so that nothing else of the demo delays the moment at which it sees a request.
 */
export async function runServer(): Promise<void> {
  let scratch: string | undefined;
  const parent = new Parent<ToServer, FromServer>(async () => {
    if (scratch !== undefined) removeScratch(scratch);
  });
  const setup = await parent.inbox.take("setup");
  scratch = setup.scratch;
  const raised = setup.priority && raisePriority();
  const window = new SlidingWindow(setup.max, setup.windowMs);
  const log = new ArrivalLog();

  const server = createServer((request, response) => {
    const atMs = nowMs();
    const served = window.allow(atMs);
    log.add(atMs, Number(request.headers[GRANTED_HEADER]), Number(request.headers[WORKER_HEADER]), served);
    answer(request, response, served);
  });
  // Clients keep their connections for the whole run; closing an idle one could cross a request on its way.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    void parent.send({ type: "listening", port: (server.address() as AddressInfo).port, raised });
  });
  setInterval(() => {
    void parent.send({ type: "count", served: log.servedCount, rejected: log.rejectedCount });
  }, COUNT_EVERY_MS);

  await parent.inbox.take("finish");
  await parent.send({ type: "arrivals", arrivals: log.columns() });
  parent.finish();
}

function answer(request: IncomingMessage, response: ServerResponse, served: boolean): void {
  request.resume();
  if (served) response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}\n');
  else response.writeHead(429, { "content-type": "application/json", "retry-after": "1" }).end('{"ok":false}\n');
}
