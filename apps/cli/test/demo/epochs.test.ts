import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";
import { expect, test } from "vitest";
import { Epochs } from "../../src/demo/measure/epochs.ts";
import { reportThrottle } from "../../src/demo/process/worker.ts";
import type { Entry } from "../../src/demo/record.ts";

const MAX = 10;
const INTERVAL_MS = 200;

test("every token counts in the epoch of its grant; only one that came back in that epoch does not", () => {
  const entries = [
    { type: "grant", atMs: 1, epoch: 7, tokens: 10 },
    { type: "returned", atMs: 2, epoch: 7, tokens: 4 },
    { type: "grant", atMs: 3, epoch: 7, tokens: 4 },
    { type: "grant", atMs: 4, epoch: 8, tokens: 3 },
  ] as const;
  const epochs = new Epochs(entries.map((entry) => ({ worker: 1, entry })));
  expect([epochs.granted(7), epochs.granted(8), epochs.most, epochs.total]).toEqual([10, 3, 10, 13]);
});

test("batches on SQLite whose epoch ends while they wait for items: no epoch is above the limit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dt-epochs-"));
  const store = sqliteStore({ path: join(folder, "limits.db") });
  const throttle = createThrottle({ name: "g", max: MAX, interval: INTERVAL_MS, store });
  const entries: Entry[] = [];
  const end = reportThrottle(throttle, (entry) => entries.push(entry));
  try {
    await throttle.start();
    const isOdd = (): boolean => (throttle.status().epoch ?? 0) % 2 === 1;
    let batches = 0;
    // An item in the second half of every odd epoch; the linger ends in the even one after it.
    async function* source(): AsyncGenerator<number> {
      for (let item = 0; item < 8; item++) {
        while (isOdd()) await sleep(2);
        while (!isOdd()) await sleep(2);
        await sleep(INTERVAL_MS / 2);
        yield item;
      }
    }
    const read = (async () => {
      for await (const batch of throttle.batches(source(), { linger: INTERVAL_MS * 0.8 })) batches += batch.length;
      return "done";
    })();
    // Beside it somebody takes all there is in the even epochs.
    while ((await Promise.race([read, sleep(5, "goes on")])) !== "done") if (!isOdd()) throttle.tryAcquireUpTo(MAX);
    expect(batches).toBe(8);
    const counted = new Epochs(entries.map((entry) => ({ worker: 1, entry })));
    expect(counted.most).toBeLessThanOrEqual(MAX);
  } finally {
    end();
    await throttle.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
