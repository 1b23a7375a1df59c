import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { type Grant, mostInAnEpoch, WorkerProcess } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dynamodbStore } from "../src/index.ts";
import { makeTable } from "./support/table.ts";

const MAX = 60;

let server: DynamoDbServer;
const workers: WorkerProcess[] = [];
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
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
    factory: "dynamodbStore",
    store: { table: "throttle", config: config() },
    throttle: { name: "clocks", max: MAX, interval: 500, staleAfter: 5_000, syncInterval: 500 },
    clock: { offsetMs: Math.random() * 1e12, rate: 1 + (Math.random() - 0.5) / 500 },
  });
  workers.push(worker);
  return worker;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("real processes with clocks decades apart grant no more than max in any epoch, though some are killed, stopped and replaced", {
  timeout: 120_000,
}, async () => {
  const crew = Array.from({ length: 5 }, (_, i) => boot(`p${i}`));
  await Promise.all(crew.map((worker) => worker.started()));
  await sleep(3_000);
  await crew[0]?.kill();
  crew[1]?.signal("SIGSTOP");
  await sleep(7_000);
  crew[1]?.signal("SIGCONT");
  await crew[2]?.stop();
  const replacement = boot("p0");
  await replacement.started();
  await using store = dynamodbStore({ table: "throttle", config: config(), timeout: "10s" });
  const snapshot = () => store.inspect("clocks").then(({ adopted, memberCount }) => [adopted, memberCount]);
  await expect.poll(snapshot).toEqual([4, 4]);
  await sleep(1_500);
  await Promise.all([crew[1], crew[3], crew[4], replacement].map((worker) => worker?.stop()));
  const grants: Grant[] = workers.flatMap((worker) => worker.grants);
  expect(mostInAnEpoch(grants)).toBeLessThanOrEqual(MAX);
  expect(new Set(grants.map(({ worker }) => worker)).size).toBe(5);
});
