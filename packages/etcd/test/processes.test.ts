import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { type Grant, longestEpochMs, mostInAnEpoch, mostWithin, WorkerProcess } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { etcdStore } from "../src/index.ts";

const MAX = 60;
const INTERVAL_MS = 500;

let server: EtcdServer;
const workers: WorkerProcess[] = [];
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await server?.stop();
});

/** A process whose clock has an origin of its own, up to decades away, and runs up to 0.1 % fast or slow. */
function boot(id: string): WorkerProcess {
  const worker = new WorkerProcess({
    id,
    module: new URL("../src/index.ts", import.meta.url).href,
    factory: "etcdStore",
    store: { endpoints: server.endpoints },
    throttle: { name: "clocks", max: MAX, interval: INTERVAL_MS, staleAfter: 5_000, syncInterval: 500 },
    clock: { offsetMs: Math.random() * 1e12, rate: 1 + (Math.random() - 0.5) / 500 },
  });
  workers.push(worker);
  return worker;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const grants = (): Grant[] => workers.flatMap((worker) => worker.grants);

it("real processes with clocks decades apart grant no more than max in any epoch, though some are killed, stopped and replaced", {
  timeout: 120_000,
}, async () => {
  const crew = Array.from({ length: 6 }, (_, i) => boot(`p${i}`));
  await Promise.all(crew.map((worker) => worker.started()));
  await using store = etcdStore({ endpoints: server.endpoints, timeout: "10s" });
  const agreed = (): Promise<boolean> =>
    store.inspect("clocks").then(({ adopted, memberCount }) => adopted === memberCount);
  await expect.poll(agreed).toBe(true);
  const calmFromMs = Number(process.hrtime.bigint()) / 1e6;
  await sleep(4_000);
  const calm = grants().filter(({ atMs }) => atMs > calmFromMs + 2_000);

  await crew[0]?.kill();
  crew[1]?.signal("SIGSTOP");
  const late = boot("p6");
  await sleep(2_000);
  crew[1]?.signal("SIGCONT");
  await crew[2]?.kill();
  crew[3]?.signal("SIGSTOP");
  await sleep(7_000);
  crew[3]?.signal("SIGCONT");
  await crew[4]?.stop();
  const replacement = boot("p0");
  await Promise.all([late.started(), replacement.started()]);
  const live = 5;
  const snapshot = () => store.inspect("clocks").then(({ adopted, memberCount }) => [adopted, memberCount]);
  await expect.poll(snapshot).toEqual([live, live]);
  await sleep(2_000);
  await Promise.all([crew[1], crew[3], crew[5], late, replacement].map((worker) => worker?.stop()));

  expect(mostInAnEpoch(grants())).toBeLessThanOrEqual(MAX);
  expect(new Set(grants().map(({ worker }) => worker))).toEqual(new Set(["p0", "p1", "p2", "p3", "p4", "p5", "p6"]));
  // In real time: no store with a clock lets an epoch last longer than an interval; here it may by what the clocks
  // differ.
  expect(calm.length).toBeGreaterThan(5);
  expect(longestEpochMs(calm)).toBeLessThan(INTERVAL_MS + 250);
  expect(mostWithin(calm, INTERVAL_MS)).toBeLessThanOrEqual(2 * MAX);
});
