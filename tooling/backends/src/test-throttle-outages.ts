import { type CoordinationStore, createThrottle, type Throttle, type ThrottleOptions } from "@dt/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "./until.ts";

const LIMIT = 12;
const ACQUIRE_TIMEOUT_MS = 3_000;

/** A way for a server not to be there, as the end of "while the server is", with what begins and ends it. */
export type Outage = readonly [what: string, begin: () => Promise<void>, end: () => Promise<void>];

/**
 * Makes a test of every outage: two throttles on one server go through it.
 * @param openStore each throttle has a store of its own; the server runs when it is asked for
 * @param options what differs from store to store
 */
export function testThrottleOutages(
  openStore: () => CoordinationStore & { close(): Promise<void> },
  options: Pick<ThrottleOptions, "staleAfter" | "clockError">,
  outages: readonly Outage[],
): void {
  let stores: ReturnType<typeof openStore>[] = [];
  let throttles: Throttle[] = [];
  let groups = 0;

  /** Two processors that grant half of the limit each. */
  beforeEach(async () => {
    const group = `g${groups++}`;
    stores = [0, 1].map(openStore);
    throttles = stores.map((store) =>
      createThrottle({ group, max: LIMIT, interval: 500, acquireTimeout: ACQUIRE_TIMEOUT_MS, ...options, store }),
    );
    // A start that fails may be repeated; a busy machine may take longer than the deadline that such short epochs ask for.
    for (const throttle of throttles)
      await until("a throttle has started", 20_000, () => throttle.start().then(() => true));
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

  describe.each(outages)("while the server is %s", (_, begin, end) => {
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
      for (const throttle of throttles)
        await until("a caller that waits is served", 20_000, () =>
          throttle.acquire(1).then((granted) => granted === 1),
        );
    });
  });
}
