import { createThrottle } from "@dt/core";
import { expect, test } from "vitest";
import { openStore, ownServer } from "./support/keep.ts";

/** Every process of a large fleet starts in the same second. */

const THROTTLES = 2_000;

test.each([
  [1, 1_000],
  // No line holds these together: all of their calls are on their way at once, and so wait for each other.
  [20, 5_000],
])(
  "2,000 throttles that start together on %i stores all start: they queue, and do not fail",
  async (count, timeout) => {
    const server = await ownServer();
    const stores = Array.from({ length: count }, () => openStore({ url: server.url, timeout }));
    const throttles = Array.from({ length: THROTTLES }, (_, i) =>
      createThrottle({
        ...{ name: "g", max: 20_000, store: stores[i % count] as (typeof stores)[0], storeTimeout: timeout },
        // Whoever started stays in the group, however long the machine takes for all of them.
        staleAfter: "2m",
      }),
    );
    const starts = await Promise.allSettled(throttles.map((throttle) => throttle.start()));
    const failures = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
    expect(failures).toEqual([]);
    expect((await openStore({ url: server.url, timeout: "30s" }).inspect("g")).memberCount).toBe(THROTTLES);
    await Promise.all(throttles.map((throttle) => throttle.stop()));
  },
);
