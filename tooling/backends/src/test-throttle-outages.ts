import { type CoordinationStore, createThrottle, type ThrottleOptions } from "@dt/core";
import { describe, it } from "vitest";
import { until } from "./until.ts";

const LIMIT = 12;
const ACQUIRE_TIMEOUT_MS = 3_000;

/** A way for a server not to be there, as the end of "while the server is", with what begins and ends it. */
export type Outage<Server> = readonly [
  what: string,
  begin: (server: Server) => Promise<void>,
  end: (server: Server) => Promise<void>,
];

/**
 * Makes a test of every outage: two throttles on one server go through it. The tests run at the same time, since they
 * mostly wait, each with a server of its own.
 * @param start starts a server
 * @param openStore each throttle has a store of its own
 * @param options what differs from store to store
 */
export function testThrottleOutages<Server extends { stop(): Promise<void> }>(
  start: () => Promise<Server>,
  openStore: (server: Server) => CoordinationStore & { close(): Promise<void> },
  options: Pick<ThrottleOptions, "staleAfter" | "clockError">,
  outages: readonly Outage<Server>[],
): void {
  describe.concurrent.each(outages)("while the server is %s", (_, begin, end) => {
    it("nothing is granted past the validity, acquire fails instead of hanging, and the throttles recover by themselves", async ({
      expect,
      onTestFinished,
    }) => {
      const server = await start();
      onTestFinished(() => server.stop());
      /** Two members that grant half of the limit each. */
      const throttles = [0, 1].map(() => {
        const store = openStore(server);
        onTestFinished(() => store.close());
        const own = {
          name: "g",
          max: LIMIT,
          shares: "even" as const,
          interval: 500,
          acquireTimeout: ACQUIRE_TIMEOUT_MS,
          ...options,
          store,
        };
        const throttle = createThrottle(own);
        onTestFinished(() => throttle.stop());
        return throttle;
      });
      /** Waits until both have an epoch in which they may grant exactly this much. */
      const granting = async (tokens: number): Promise<void> => {
        await until(`epochs that grant ${tokens} each`, 20_000, () => {
          for (const throttle of throttles) throttle.tryAcquire(1);
          return throttles.every((throttle) => throttle.status().share === tokens);
        });
      };
      // A start that fails may be repeated; a busy machine may take longer than the deadline that such short epochs ask
      // for.
      for (const throttle of throttles)
        await until("a throttle has started", 20_000, () => throttle.start({ timeout: 0 }).then(() => true));
      await granting(LIMIT / 2);

      await begin(server);
      try {
        await granting(0);
        for (const throttle of throttles) {
          await expect(throttle.acquire(1)).rejects.toMatchObject({ code: expect.stringMatching(/^DT_STORE_/) });
          expect(throttle.tryAcquire(1)).toBe(false);
        }
      } finally {
        await end(server);
      }
      await granting(LIMIT / 2);
      for (const throttle of throttles)
        await until("a caller that waits is served", 20_000, () => throttle.acquire().then(() => true));
    });
  });
}
