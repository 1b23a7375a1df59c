import { createThrottle } from "@dt/core";
import { expect, test } from "vitest";
import { openStore, useOwnServer } from "./support/own-server.ts";

useOwnServer();

/**
 * Every process of a large fleet starts in the same second: a start queues, and does not fail. No deadline is part of
 * it, since how long that takes is the machine's affair: the first call on a connection costs the server 30 to 90 ms of
 * a processor, and there are 75 and more.
 */

test.each([
  [1_000, 1],
  [200, 20],
  // More connections than the server takes (200), were each store to open its four.
  [150, 75],
])("%i throttles that start together on %i stores all start", { timeout: 300_000 }, async (count, storeCount) => {
  const stores = Array.from({ length: storeCount }, () => openStore({ timeout: "4m" }));
  const throttles = Array.from({ length: count }, (_, i) =>
    createThrottle({
      name: "g",
      max: 20_000,
      // Starting is the subject, not as many syncs a second.
      interval: "15m",
      storeTimeout: "4m",
      store: stores[i % storeCount] as (typeof stores)[0],
    }),
  );
  const starts = await Promise.allSettled(throttles.map((throttle) => throttle.start()));
  const failures = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  expect(failures).toEqual([]);
  expect((await stores[0]?.inspect("g"))?.memberCount).toBe(count);
  await Promise.allSettled(throttles.map((throttle) => throttle.stop()));
});
