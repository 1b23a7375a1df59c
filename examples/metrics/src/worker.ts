/**
 * A worker of a fleet, with metrics. It takes jobs from a list of Redis and makes one call for each, within a limit of
 * the whole fleet and a budget. Start as many as you like on one Redis:
 *
 *     node worker.ts redis://localhost:6379 http://localhost:8080/ 9464
 *
 * Arguments: the store, the callee, the port of /metrics, and the Redis of the jobs where it is another one.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createBudget } from "@dt/budget";
import { createThrottle } from "@dt/core";
import { createHttpClient } from "@dt/http";
import { instrument } from "@dt/otel";
import { redisStore } from "@dt/redis";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { Redis } from "ioredis";

const [url = "redis://localhost:6379", callee = "http://localhost:8080/", port = "9464", jobsUrl = url] =
  process.argv.slice(2);

/** Calls that one process makes at a time. */
const LOOPS = 4;

const store = redisStore({ url });
const throttle = createThrottle({ name: "callee", rate: "30/s", stored: true, store });
const budget = createBudget({ name: "tokens", limits: { tokens: { rate: "60000/min", burst: 3_000 } }, store });
// A refusal with Retry-After pauses the throttle in all processes. A job that was refused goes back to the list.
const client = createHttpClient({ name: "callee", throttle, alsoPause: [budget], retry: false });

// All of the measuring: the SDK's exporter, and the limiters, the client and the store handed to instrument.
const exporter = new PrometheusExporter({ preventServerStart: true });
const meter = new MeterProvider({ readers: [exporter] }).getMeter("fleet");
instrument([throttle, budget, client, store], { meter });

const jobs = new Redis(jobsUrl);
meter
  .createObservableGauge("jobs.waiting", { unit: "{job}", description: "Jobs in the list, of the whole fleet." })
  .addCallback(async (result) => result.observe(await jobs.llen("jobs")));

const call = budget.wrap(
  async (_tokens: number) => {
    const response = await client.fetch(callee, { method: "POST" });
    await response.text();
    return response.ok;
  },
  { cost: (tokens) => ({ tokens }), settle: () => undefined },
);

let ending = false;
async function work(): Promise<void> {
  while (!ending) {
    const job = await jobs.lpop("jobs");
    if (job === null) {
      await sleep(100);
      continue;
    }
    const isDone = await call(Number(job)).catch((error: Error) => {
      console.error(`a job goes back to the list: ${error.message}`);
      return false;
    });
    if (isDone) continue;
    await jobs.rpush("jobs", job);
    await sleep(1_000);
  }
}

const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
server.listen(Number(port), "127.0.0.1");
await once(server, "listening");
await throttle.start();
const working = Promise.all(Array.from({ length: LOOPS }, work));
console.log(`metrics http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);

process.once("SIGTERM", async () => {
  ending = true;
  await working; // The calls under way end, and their jobs with them.
  await client.stop();
  await Promise.all([throttle.drain(), budget.drain()]);
  await Promise.all([store.close(), jobs.quit()]);
  server.close();
  server.closeAllConnections();
});
