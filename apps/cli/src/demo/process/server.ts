import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Arrival } from "../record.ts";
import { SlidingWindow } from "../sliding-window.ts";
import { nowMs, TIMINGS } from "../timings.ts";
import { orders, raisePriority, removeScratch, tell } from "./parent.ts";

/** Request headers by which the demo's workers say who they are and when they were granted the token. */
export const WORKER_HEADER = "x-dt-worker";
export const GRANTED_HEADER = "x-dt-granted-ms";

const TELL_EVERY_MS = 200;

export interface ServerSetup {
  /** Requests allowed in any sliding second. */
  readonly max: number;
  /** A folder to remove when the parent is gone. */
  readonly scratch: string;
}

/**
 * The callee: a server that allows `max` requests in any sliding window and answers 429 beyond. In a process of its
 * own, so that nothing else of the demo delays the moment at which it sees a request.
 */
export async function runServer(): Promise<void> {
  let scratch: string | undefined;
  const next = orders(() => removeScratch(scratch));
  const setup = JSON.parse(await next()) as ServerSetup;
  scratch = setup.scratch;
  const raised = raisePriority();
  const window = new SlidingWindow(setup.max, TIMINGS.intervalMs);
  let arrivals: Arrival[] = [];
  const report = (): void => {
    tell({ type: "arrivals", arrivals });
    arrivals = [];
  };
  const server = createServer((request, response) => {
    const atMs = nowMs();
    const served = window.allow(atMs);
    const { [GRANTED_HEADER]: granted, [WORKER_HEADER]: worker } = request.headers;
    arrivals.push({ atMs, grantedMs: Number(granted), worker: Number(worker), served });
    request.resume();
    response.writeHead(served ? 200 : 429, { "content-type": "application/json" }).end(`{"ok":${served}}\n`);
  });
  // Clients keep their connections for the whole run; closing an idle one could cross a request on its way.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    tell({ type: "listening", port: (server.address() as AddressInfo).port, raised });
  });
  setInterval(report, TELL_EVERY_MS);
  await next();
  report();
  process.exit();
}
