import { setImmediate } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { createRetryBudget } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { Callee } from "../../src/client/callee.ts";
import { RequestsInFlight } from "../../src/client/requests-in-flight.ts";
import { createHttpClient } from "../../src/index.ts";

/** How many objects there are of each class, of those that something still holds. */
const counted = (): number[] =>
  [Callee, RequestsInFlight].map((of) => queryObjects(of, { format: "count" }) as unknown as number);

it.each([
  ["told what is left for an hour", 200, { ratelimit: '"p";r=5;t=3600' }],
  ["asked for a pause that is over", 503, { "retry-after": "0" }],
])("callees that %s leave memory when they are forgotten", async (_, status, headers) => {
  const runtime = new VirtualRuntime();
  const before = counted();
  const client = createHttpClient({
    maxCallees: 10,
    callee: ({ path }) => path,
    fetch: async () => new Response("ok", { status, headers }),
    retry: () => createRetryBudget({ retries: 0 }),
    runtime,
  });
  for (let n = 0; n < 300; n++) await (await client.fetch(`http://127.0.0.1/${n}`)).text();
  await setImmediate();
  expect(client.status()).toHaveLength(10);
  const after = counted();
  // Another file of this process may have had some that are gone now.
  for (const [at, count] of after.entries()) expect(count - (before[at] as number)).toBeLessThanOrEqual(10);
  expect(runtime.pendingTimers).toBeLessThanOrEqual(10);
  await client.stop();
});
