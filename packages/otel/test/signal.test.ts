import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { createSignalClient, createSignalServer } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";
import { instrument } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

it("throttled topics are counted under the names of PIP-385, on both sides", async () => {
  let messages = 0;
  const server = createSignalServer({
    topicQuota: (topic) => (topic === "reports" ? { rate: "20/s" } : {}),
    handler: { publish: () => messages++ },
  });
  const tcp = createServer((socket) => void server.attach(socket)).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const client = createSignalClient({ connect: () => connect((tcp.address() as AddressInfo).port, "127.0.0.1") });
  const measurement = new Measurement();
  const measured = instrument([client, server], { meter: measurement.meter });
  try {
    const reports = await client.createProducer("reports");
    await Promise.all(Array.from({ length: 30 }, (_, n) => reports.send(`report ${n}`)));
    await until("the signal is confirmed", 60_000, () => server.metrics().signals.confirmed > 0);
    const collected = await measurement.collect();
    const [count] = client.metrics().throttled;
    expect(count?.ms).toBeGreaterThan(0);
    const ofTopic = { topic: "reports" };
    expect(
      valuesOf(collected, "pulsar.client.producer.throttled_times", { ...ofTopic, reason: String(count?.label) }),
    ).toEqual([(count?.ms ?? 0) / 1_000]);
    expect(valuesOf(collected, "dt.signal.throttles", ofTopic)).toEqual([count?.times]);
    const [ofServer] = server.metrics().throttled;
    expect(
      valuesOf(collected, "pulsar.broker.topic.publish.rate.limit.count", { ...ofTopic, limiter: "topic" }),
    ).toEqual([ofServer?.times]);
    expect(valuesOf(collected, "dt.signal.signals", { "dt.result": "confirmed" })).toEqual([
      server.metrics().signals.confirmed,
    ]);
    expect(valuesOf(collected, "dt.signal.connections")).toEqual([1]);
  } finally {
    measured.stop();
    await client.close();
    await server.close();
    tcp.close();
    await measurement.provider.shutdown();
  }
});
