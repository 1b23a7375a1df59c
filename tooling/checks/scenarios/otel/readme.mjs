import { createServer } from "node:http";
import { createThrottle, MemoryStore } from "@dt/core";
import { instrument } from "@dt/otel";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

const store = new MemoryStore(); // In a fleet: a store that all processes share.
const throttle = createThrottle({ name: "mail", rate: "10/s", store });

// What Prometheus scrapes. With an exporter of OTLP instead, nothing else changes.
const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
const provider = new MeterProvider({ readers: [exporter] });
const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response)).listen(
  0,
  "127.0.0.1",
);

instrument([throttle, store], { meter: provider.getMeter("my-app"), label: "worker 1" });

for (let mail = 1; mail <= 12; mail++) await throttle.acquire(); // The last two wait for the next second.

const page = await (await fetch(`http://127.0.0.1:${server.address().port}/metrics`)).text();
const isShown = (line) => /^dt_(calls_total.*granted|limiting)/.test(line);
console.log(page.split("\n").filter(isShown).join("\n"));
server.close();
await throttle.stop();
await store.close();
await provider.shutdown();
