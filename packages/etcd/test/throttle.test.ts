import { createThrottle, type Throttle } from "@dt/core";
import { type EtcdServer, startEtcd, until } from "@dt-tooling/backends";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";

const LIMIT = 12;
const ACQUIRE_TIMEOUT_MS = 3_000;

let server: EtcdServer;
let stores: EtcdStore[] = [];
let throttles: Throttle[] = [];
let groups = 0;

beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

/** Two processors that grant half of the limit each. */
beforeEach(async () => {
  const group = `g${groups++}`;
  stores = [0, 1].map(() => etcdStore({ endpoints: server.endpoints }));
  throttles = stores.map((store) =>
    createThrottle({
      group,
      max: LIMIT,
      interval: 500,
      // A share is valid for about two and a half seconds. Leases count whole seconds.
      staleAfter: "4s",
      acquireTimeout: ACQUIRE_TIMEOUT_MS,
      // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
      clockError: 500,
      store,
    }),
  );
  await Promise.all(throttles.map((throttle) => throttle.start()));
  await granting(LIMIT / 2);
});
afterEach(async () => {
  await Promise.all(throttles.map((throttle) => throttle.stop()));
  await Promise.all(stores.map((store) => store.close()));
});

/** Waits until both have an epoch in which they may grant exactly this much. */
async function granting(tokens: number): Promise<void> {
  await until(`epochs that grant ${tokens} each`, 20_000, () => {
    for (const throttle of throttles) throttle.tryAcquire(1);
    return throttles.every((throttle) => throttle.status().share === tokens);
  });
}

const node = (): EtcdServer["nodes"][number] => server.nodes[0] as EtcdServer["nodes"][number];

describe.each<[what: string, begin: () => Promise<void>, end: () => Promise<void>]>([
  ["stopped (SIGSTOP)", () => node().pause(), () => node().resume()],
  ["killed, and back with its data", () => node().kill(), () => server.restart({ keepData: true })],
  ["killed, and back without its data", () => node().kill(), () => server.restart({ keepData: false })],
])("while the server is %s", (_, begin, end) => {
  it("nothing is granted past the validity, acquire fails instead of hanging, and the throttles recover by themselves", async () => {
    await begin();
    try {
      await granting(0);
      for (const throttle of throttles) {
        await expect(throttle.acquire(1)).rejects.toMatchObject({ code: expect.stringMatching(/^DT_STORE_/) });
        expect(throttle.tryAcquire(1)).toBe(0);
      }
    } finally {
      await end();
    }
    await granting(LIMIT / 2);
    expect(await Promise.all(throttles.map((throttle) => throttle.acquire(1)))).toEqual([1, 1]);
  });
});
