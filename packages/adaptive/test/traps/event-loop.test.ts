import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { VirtualRuntime } from "@dt/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CalleeReport,
  type ConcurrencyLimit,
  createConcurrencyLimit,
  fixed,
  type SampleWindow,
  type Slot,
} from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

/** Answers every request after 20 ms, in a process of its own: nothing that is done here holds it up. */
const SERVER = `
  const server = require("node:http").createServer((_, response) => setTimeout(() => response.end("ok"), 20));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.on("end", () => process.exit()).resume();
`;

let server: ReturnType<typeof spawn>;
let url: string;

beforeAll(async () => {
  server = spawn(process.execPath, ["-e", SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(server.stdout as NodeJS.ReadableStream, "data");
  url = `http://127.0.0.1:${String(port).trim()}/`;
});

afterAll(async () => {
  server.stdin?.end();
  await once(server, "exit");
});

/**
 * Calls the server for so long, four calls at a time, while this process computes for 50 ms of each 100. Gives the
 * windows that the algorithm saw.
 */
async function windowsOfABusyProcess(maxLag: number): Promise<{ seen: SampleWindow[]; late: number }> {
  const algorithm = scripted(4, { minMs: 100, minSamples: 1 });
  await using limit = createConcurrencyLimit({ algorithm, maxLag });
  const get = limit.wrap(async () => (await fetch(url)).text());
  // Connections are made first: that takes longer than an answer.
  await Promise.all([get(), get(), get(), get()]);
  const untilMs = performance.now() + 1_500;
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) await get();
  };
  const busy = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      await sleep(50);
      const freeMs = performance.now() + 50;
      while (performance.now() < freeMs);
    }
  };
  algorithm.seen.length = 0;
  await Promise.all([client(), client(), client(), client(), busy()]);
  return { seen: algorithm.seen, late: limit.status().lateWindows };
}

test("what the event loop held up is not taken for latency of the callee", async () => {
  const { seen, late } = await windowsOfABusyProcess(0.25);
  expect(late).toBeGreaterThan(3);
  expect(late).toBeGreaterThan(seen.length);
});

/**
 * A callee of which every call takes so long, called every millisecond, while the loop is held up for `block` of each
 * `every` milliseconds. Gives the limit.
 */
async function heldUp(every: number, block: number, latency: number, report?: CalleeReport): Promise<ConcurrencyLimit> {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(1_000, { minMs: every, minSamples: 1 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const open: { slot: Slot; endMs: number }[] = [];
  for (let ms = 0; ms < 20 * every; ms++) {
    // Meanwhile nothing is seen to end, and no timer fires.
    if (ms % every >= 10 && ms % every < 10 + block) {
      runtime.jump(1);
      continue;
    }
    await runtime.advance(1);
    for (const call of open.splice(0))
      if (call.endMs <= runtime.now()) call.slot.success(report);
      else open.push(call);
    const slot = limit.tryAcquire();
    if (slot) open.push({ slot, endMs: runtime.now() + latency });
  }
  return limit;
}

test.each([
  // Where half of the time is lost to blocks that are longer than a call, no latency is worth anything.
  { every: 100, block: 50, latency: 20, late: true },
  // Where a call takes much longer than any block, all of them are.
  { every: 100, block: 50, latency: 400, late: false },
  // Where blocks are rare, most calls come in between.
  { every: 1_000, block: 50, latency: 20, late: false },
  { every: 100, block: 4, latency: 1, late: false },
])("of each $every ms the loop is held up for $block, and a call takes $latency: late is $late", async (world) => {
  const { windows, lateWindows } = (await heldUp(world.every, world.block, world.latency)).status();
  expect(world.late ? windows : lateWindows).toBeLessThanOrEqual(2);
  expect(world.late ? lateWindows : windows).toBeGreaterThan(12);
});

test("in a process that is always late one window of eleven counts, and all in which the callee says how long calls waited", async () => {
  expect((await heldUp(100, 50, 20)).status()).toMatchObject({ windows: 1 });
  expect((await heldUp(100, 50, 20, { queueWaitMs: 5 })).status()).toMatchObject({ lateWindows: 0 });
});

test("without that look the same calls seem to take twice as long and more", async () => {
  const { seen, late } = await windowsOfABusyProcess(1);
  expect(late).toBe(0);
  expect(Math.max(...seen.map(({ p90Ms }) => p90Ms))).toBeGreaterThan(45);
});

test("timers have their turn while fifty thousand waiters serve each other without ever waiting", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(1), maxWaiters: 50_000 });
  const slot = await limit.acquire();
  let served = 0;
  const all = Array.from({ length: 50_000 }, () =>
    limit.acquire().then((own) => {
      served += 1;
      own.success();
    }),
  );
  let servedBefore: number | undefined;
  setTimeout(() => {
    servedBefore = served;
  }, 1);
  slot.success();
  await Promise.all(all);
  expect(served).toBe(50_000);
  expect(servedBefore).toBeLessThan(10_000);
});

test("two hundred thousand may wait, leave from the middle and be served, without a queue that is walked through", async () => {
  const maxWaiters = 200_000;
  await using limit = createConcurrencyLimit({ algorithm: fixed(50), maxWaiters });
  const slots = await Promise.all(Array.from({ length: 50 }, () => limit.acquire()));
  const controllers = Array.from({ length: 1_000 }, () => new AbortController());
  const startMs = performance.now();
  let [served, aborted] = [0, 0];
  const all = Array.from({ length: maxWaiters }, (_, n) =>
    limit.acquire(1, { signal: controllers[n % 2_000]?.signal }).then(
      (slot) => {
        served += 1;
        slot.success();
      },
      () => {
        aborted += 1;
      },
    ),
  );
  await expect(limit.acquire()).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
  for (const controller of controllers) controller.abort();
  for (const slot of slots) slot.success();
  await Promise.all(all);
  expect([served, aborted]).toEqual([100_000, 100_000]);
  // It takes a second or two; a queue that is walked through for each takes minutes.
  expect(performance.now() - startMs).toBeLessThan(40_000);
});
