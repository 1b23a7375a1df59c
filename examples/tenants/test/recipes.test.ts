import { startRedis } from "@dt-tooling/backends";
import { runSource, SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, it, onTestFinished } from "vitest";

const source = (name: string): URL => new URL(`../src/${name}.ts`, import.meta.url);

it("tenants in Fastify over three processes have their burst once", async () => {
  const redis = await startRedis({ control: true });
  onTestFinished(() => redis.stop());
  const processes = [1, 2, 3].map(() => new SourceProcess(source("fastify-server"), [redis.url]));
  onTestFinished(async () => void (await Promise.all(processes.map((process) => process.kill()))));
  const urls = await Promise.all(processes.map((process) => process.said("listening")));

  const ask = async (url: string, tenant: string): Promise<number> => {
    const response = await fetch(url, { headers: { "x-tenant": tenant } });
    await response.text();
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    return response.status;
  };
  // One after the other, as a client that is refused by none of them asks.
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push(await ask(urls[n % 3] as string, "free 1"));
  const allowed = statuses.filter((status) => status === 200).length;
  expect(allowed).toBeGreaterThanOrEqual(1);
  expect(allowed).toBeLessThanOrEqual(6); // 5 at once, and the one that comes back each minute
  expect(statuses.slice(-3)).toEqual([429, 429, 429]);
  // Another tenant does not feel it.
  const others = await Promise.all(urls.flatMap((url) => [ask(url, "paid 1"), ask(url, "free 2")]));
  expect(others).toEqual(Array(6).fill(200));
});

it("from express-rate-limit: as it comes a client has its limit twice, with a shared store once", async () => {
  const { code, stdout, stderr } = await runSource(source("from-express-rate-limit"));
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trim().split("\n")).toEqual([
    "as it comes      200 200 200 200 200 200 429 429 429 429",
    "with our store   200 200 200 429 429 429 429 429 429 429",
    "a keyed limit    200 200 200 429 429 429 429 429 429 429",
  ]);
});

it("from rate-limiter-flexible: what each call answers on both sides", async () => {
  const { code, stdout, stderr } = await runSource(source("from-rate-limiter-flexible"));
  expect([code, stderr]).toEqual([0, ""]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/\s{2,}/g, " | "));
  expect(rows).toEqual([
    'consume 3 | {"allowed":true,"remaining":2} | {"allowed":true,"remaining":2}',
    'consume 3 | {"allowed":false,"remaining":0} | {"allowed":false,"remaining":2}',
    'consume 2 | {"allowed":false,"remaining":0} | {"allowed":true,"remaining":0}',
    "get | 0 | 0",
    "delete | 5 | 5",
    "penalty 2 | 3 | 3",
    'reward | "once" | {"max":50,"windowMs":60000,"burst":50}',
    'block | {"allowed":false,"remaining":0} | {"allowed":false,"remaining":0}',
  ]);
});

it("a noisy tenant: with a limit for each, the others wait no longer than on a quiet day", async () => {
  const { code, stdout, stderr } = await runSource(source("noisy-tenant"));
  expect([code, stderr]).toEqual([0, ""]);
  const days = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  expect(days).toEqual([
    { calls: 770, refused: 0, p99: "0 ms", longest: "0 ms", ofNoisy: 0 },
    { calls: 770, refused: 0, p99: "7294 ms", longest: "7348 ms", ofNoisy: 19_001 },
    { calls: 770, refused: 0, p99: "0 ms", longest: "0 ms", ofNoisy: 100 },
  ]);
});

it("plans: an upgrade, a downgrade and a trial hold in all processes", async () => {
  const redis = await startRedis({ control: true });
  onTestFinished(() => redis.stop());
  const processes = [1, 2, 3].map(() => new SourceProcess(source("plan-server"), [redis.url]));
  onTestFinished(async () => void (await Promise.all(processes.map((process) => process.kill()))));
  const urls = await Promise.all(processes.map((process) => process.said("listening")));

  /** The limits that the three processes tell a tenant, in units that may come at once. */
  const told = (tenant: string): Promise<number[]> =>
    Promise.all(
      urls.map(async (url) => {
        const response = await fetch(url, { headers: { "x-tenant": tenant } });
        await response.text();
        return Number(/q=(\d+)/.exec(response.headers.get("ratelimit-policy") ?? "")?.[1]);
      }),
    );
  // With the next request, or 2.5 s later where units of the tenant are in hand.
  const tells = (tenant: string, expected: readonly number[]): Promise<void> =>
    expect.poll(() => told(tenant), { interval: 500, timeout: 60_000 }).toEqual(expected);
  const setPlan = async (...plan: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await runSource(source("set-plan"), redis.url, "tenant 7", ...plan);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout.trim().split("\n");
  };
  const FREE = [5, 5, 5];
  const PAID = [100, 100, 100];

  await tells("tenant 7", FREE);
  expect(await setPlan("paid")).toEqual(["paid: 50/s"]);
  await tells("tenant 7", PAID);
  await tells("tenant 8", FREE);
  expect(await setPlan("free")).toEqual(["free: as in the code", "paid: 50/s"]);
  await tells("tenant 7", FREE);
  const [trial] = await setPlan("paid", "2h");
  expect(trial).toBe("a trial of 2h: 50/s for 7200 s");
  await tells("tenant 7", PAID);
  await setPlan("paid", "1s"); // The end of a trial, without two hours of waiting.
  await tells("tenant 7", FREE);
});
