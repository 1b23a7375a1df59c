import { bucketMutant, type Mutant } from "../flaw.ts";
import { wallClockErrorMs } from "../wall-clock-error.ts";
import { patchBucket } from "./bucket-rows.ts";

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** K2: whose time, and which way it goes. */
export const timeMutants: readonly Mutant[] = [
  bucketMutant("a bucket takes its caller's wall clock (Date.now)", "K2", {
    clock: (nowMs) => nowMs + wallClockErrorMs(),
  }),
  bucketMutant("a bucket's time goes back with the server's clock", "K2", {
    take: ({ table, nowMs }, proceed) => {
      patchBucket(table, ({ lastMs }) => (nowMs < lastMs ? { lastMs: nowMs, offsetMs: 0 } : {}));
      return proceed();
    },
  }),
  bucketMutant("a bucket's time stands still once it would go back", "K2", {
    take: ({ table, nowMs }, proceed) => {
      const { lastMs = nowMs } = table.bucket ?? {};
      patchBucket(table, () => ({ offsetMs: Math.max(0, lastMs - nowMs) }));
      return proceed();
    },
  }),
  bucketMutant("a bucket's time goes on by a minute at most from one request to the next", "K2", {
    forgets: "nothing",
    take: ({ table, nowMs }, proceed) => {
      patchBucket(table, ({ lastMs, offsetMs }) => ({ offsetMs: Math.min(offsetMs, lastMs + MINUTE_MS - nowMs) }));
      return proceed();
    },
  }),
  bucketMutant("each client of a bucket has a clock of its own", "K2", {
    clock: (nowMs, client) => nowMs + (client % 2) * HOUR_MS,
  }),
];
