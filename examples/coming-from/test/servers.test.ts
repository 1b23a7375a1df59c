import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startTogether } from "./support/programs.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ control: true });
});
afterAll(() => redis.stop());

/** Starts a server as two processes, and resolves to their addresses. */
async function twoServers(program: string, { url } = redis): Promise<readonly string[]> {
  const processes = await startTogether(program, 2, { REDIS_URL: url });
  const ports = await Promise.all(processes.map((process) => process.said("port")));
  return ports.map((port) => `http://127.0.0.1:${port}/`);
}

/** The status of a request; "none" where no answer came in time. */
async function ask(url: string, withinMs = 30_000): Promise<number | "none"> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    const response = await fetch(url, { headers: { "x-tenant": "tenant 7" }, signal });
    await response.text();
    return response.status;
  } catch (error) {
    if (signal.aborted) return "none";
    throw error;
  }
}

/** Twelve requests, to each server in turn: how many were answered 200, and how long it took. All others get a 429. */
async function twelve(urls: readonly string[]): Promise<{ allowed: number; tookMs: number }> {
  const begun = performance.now();
  const statuses: (number | "none")[] = [];
  for (let n = 0; n < 12; n++) statuses.push(await ask(urls[n % 2] as string));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return { allowed: statuses.filter((status) => status === 200).length, tookMs: performance.now() - begun };
}

/** Of a keyed limit of 5 a minute: 5, and one more for each 12 s that a busy machine took. */
async function expectFive(program: string): Promise<void> {
  const { allowed, tookMs } = await twelve(await twoServers(program));
  expect(allowed).toBeGreaterThanOrEqual(5);
  expect(allowed).toBeLessThanOrEqual(5 + Math.ceil(tookMs / 12_000));
}

it("two servers of rate-limiter-flexible and of @dt let a tenant's limit through once", async () => {
  expect((await twelve(await twoServers("rate-limiter-flexible/before.mjs"))).allowed).toBe(5);
  await expectFive("rate-limiter-flexible/after.mjs");
});

it("two servers of express-rate-limit let a limit through twice, with a shared store or of @dt once", async () => {
  expect((await twelve(await twoServers("express-rate-limit/before.mjs"))).allowed).toBe(10);
  expect((await twelve(await twoServers("express-rate-limit/store.mjs"))).allowed).toBe(5);
  await expectFive("express-rate-limit/after.mjs");
});

it("while Redis hangs, rate-limiter-flexible does not answer, and @dt does", async () => {
  const hanging = await startRedis({ control: true });
  onTestFinished(() => hanging.stop());
  const [before = ""] = await twoServers("rate-limiter-flexible/before.mjs", hanging);
  const [after = ""] = await twoServers("rate-limiter-flexible/after.mjs", hanging);
  await until("both servers reach Redis", 5_000, async () => (await ask(before)) === 200 && (await ask(after)) === 200);
  await hanging.pause();
  expect(await Promise.all([ask(before, 5_000), ask(after)])).toEqual(["none", 503]);
  await hanging.resume();
});
