import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPacer, createSemaphore, createThrottle } from "@dt/core";
import { redisStore } from "@dt/redis";
import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { afterAll, beforeAll, expect, it } from "vitest";
import { instrument } from "../src/index.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ control: true });
});
afterAll(() => redis?.stop());

/** The value of the one line of a scraped page that has a name and all these labels; undefined where there is none. */
function sampleOf(page: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = page.split("\n").filter((line) => line.startsWith(`${name}{`));
  const found = lines.filter((line) => wanted.every((label) => line.includes(label)));
  if (found.length > 1) throw new Error(`${name} has ${found.length} lines:\n${found.join("\n")}`);
  return found[0] === undefined ? undefined : Number(found[0].slice(found[0].lastIndexOf(" ")));
}

it("on a real Redis, scraped over HTTP: members, calls, the time of operations, and a store that is away", async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  const name = `otel ${process.pid}`;
  const store = redisStore({ url: redis.url, timeout: "500ms" });
  const timing = { validity: "1500ms", staleAfter: "4s" } as const;
  const throttles = [1, 2].map((member) => createThrottle({ name, max: 100, store, label: `m${member}`, ...timing }));
  const pacer = createPacer({ name, every: "1ms", store });
  const slots = createSemaphore({ name, max: 4, store });
  const meter = provider.getMeter("test");
  const measured = throttles.map((throttle, index) => instrument(throttle, { meter, label: `m${index + 1}` }));
  measured.push(instrument([store, pacer, slots], { meter, label: "m1" }));

  await Promise.all(throttles.map((throttle) => throttle.start()));
  await Promise.all([throttles[0]?.acquire(), pacer.acquire(), slots.run(async () => undefined)]);
  const own = { dt_name: name, dt_kind: "throttle", dt_label: "m1" };
  let page = "";
  const isThere = async (what: string, look: () => boolean): Promise<void> => {
    await until(what, 60_000, async () => {
      page = await scrape();
      return look();
    });
  };
  // A process that stood still for longer than the validity has lost its store until the next sync.
  await isThere(
    "both members know of each other, and the store answers",
    () => sampleOf(page, "dt_members", own) === 2 && sampleOf(page, "dt_store_valid", own) === 1,
  );
  expect(sampleOf(page, "dt_calls_total", { ...own, dt_result: "granted" })).toBe(1);
  expect(sampleOf(page, "dt_limit", own)).toBe(100);
  expect(sampleOf(page, "dt_slots_held", { dt_name: name })).toBeGreaterThanOrEqual(0);
  expect(sampleOf(page, "dt_permits_reserved_total", { dt_name: name })).toBeGreaterThanOrEqual(1);
  const operation = { dt_store: "redis", dt_operation: "sync" };
  expect(sampleOf(page, "dt_store_operation_duration_count", operation)).toBeGreaterThan(0);

  await redis.kill();
  await isThere(
    "the store is lost, and its operations fail",
    () =>
      sampleOf(page, "dt_store_valid", own) === 0 &&
      /dt_store_operation_duration_count\{.*error_type="DT_STORE_\w+"/.test(page),
  );

  await redis.restart({ keepData: true });
  await isThere("the store is back", () => sampleOf(page, "dt_store_valid", own) === 1);
  await Promise.all([...throttles.map((throttle) => throttle.stop()), pacer.stop(), slots.stop()]);
  for (const instrumentation of measured) instrumentation.stop();
  await store.close();
  server.close();
  server.closeAllConnections();
  await provider.shutdown();
});
