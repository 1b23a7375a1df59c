const assert = require("node:assert/strict");
const { createThrottle, MemoryStore } = require("@dt/core");
const { instrument } = require("@dt/otel");
const { MeterProvider, MetricReader } = require("@opentelemetry/sdk-metrics");

class HandReader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

async function main() {
  const store = new MemoryStore();
  const throttle = createThrottle({ name: "mail", rate: "10/s", store });

  // Without an SDK nothing is measured, and nothing fails.
  instrument([throttle, store]).stop();

  const reader = new HandReader();
  const provider = new MeterProvider({ readers: [reader] });
  const measured = instrument([throttle, store], { meter: provider.getMeter("app"), label: "here" });
  for (let mail = 1; mail <= 5; mail++) await throttle.acquire();
  const { resourceMetrics } = await reader.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  const tokens = metrics.find(({ descriptor }) => descriptor.name === "dt.tokens");
  assert.deepEqual(
    tokens.dataPoints.map(({ value, attributes }) => [value, attributes["dt.name"], attributes["dt.label"]]),
    [[5, "mail", "here"]],
  );
  assert.ok(metrics.some(({ descriptor }) => descriptor.name === "dt.store.operation.duration"));
  measured.stop();
  await throttle.stop();
  await store.close();
  await provider.shutdown();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
