import { VirtualRuntime } from "@dt/core/testing";
import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";
import { RawClient } from "../support/raw-client.ts";
import { TestServer } from "../support/test-server.ts";

it("no receipt: from 100 ms after the signal on the connection is not read, and exactly at the second mark it is", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_300 });
  await using server = await TestServer.listen({ topicQuota: () => ({ rate: "2/s" }), runtime });
  using client = await RawClient.ready(server.connect(), ["my-topic"]);
  const paused = (): boolean | undefined => server.connections[0]?.status().paused;

  client.send(1, 1);
  client.send(1, 2);
  expect(await client.hears("throttleProducer")).toMatchObject({
    producerId: 1,
    throttlingReason: "TopicProduceQuotaExceeded",
    pauseForMillis: 700,
  });
  await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 2);

  await runtime.advance(99);
  expect(paused()).toBe(false);
  await runtime.advance(1);
  expect(paused()).toBe(true);
  client.send(1, 3);
  await runtime.advance(599);
  expect(paused()).toBe(true);
  expect(server.of("my-topic")).toEqual(["message 1", "message 2"]);

  await runtime.advance(1);
  expect(paused()).toBe(false);
  await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 3);
  client.send(1, 4);
  await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 4);
  expect(server.of("my-topic")).toEqual(["message 1", "message 2", "message 3", "message 4"]);

  client.say({ type: "closeProducer", requestId: 9, producerId: 1 });
  await client.hears("success", ({ requestId }) => requestId === 9);
  expect(server.signals.metrics()).toMatchObject({
    signals: { confirmed: 0, unconfirmed: 1 },
    pauses: { times: 1, ms: 600 },
  });
});

it("a receipt that comes after the wait changes nothing: the connection stays unread until the mark", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_300 });
  await using server = await TestServer.listen({ topicQuota: () => ({ rate: "1/s" }), runtime });
  using client = await RawClient.ready(server.connect(), ["my-topic"]);
  client.send(1, 1);
  const { requestId } = await client.hears("throttleProducer");
  await runtime.advance(100);
  client.say({ type: "throttleProducerReceipt", requestId });
  await runtime.advance(599);
  expect(server.connections[0]?.status()).toMatchObject({ paused: true, signals: { late: 0 } });
  await runtime.advance(1);
  await until("the late receipt is read", 20_000, () => server.signals.metrics().signals.late === 1);
  expect(server.errors).toEqual([]);
});
