import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";
import { RawClient } from "../support/raw-client.ts";
import { TestServer } from "../support/test-server.ts";

it("no receipt: the connection is not read from 100 ms after the signal until the second mark, and then it is", async () => {
  await using server = await TestServer.listen({ topicQuota: () => ({ messagesPerSecond: 2 }) });
  using client = await RawClient.ready(server.connect(), ["my-topic"]);
  client.send(1, 1);
  client.send(1, 2);
  const signal = await client.hears("throttleProducer");
  expect(signal).toMatchObject({ producerId: 1, throttlingReason: "TopicProduceQuotaExceeded" });
  expect(signal.pauseForMillis).toBeGreaterThan(0);
  expect(signal.pauseForMillis).toBeLessThanOrEqual(1_000);
  // Both that were there before are answered: a quota may go into debt.
  await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 2);

  await until("the connection is not read", 20_000, () => server.connections[0]?.status().paused);
  client.send(1, 3);
  const receipt = await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 3);
  const [told, answered] = ["throttleProducer", "sendReceipt"].map(
    (type) => client.heard.findLast(({ command }) => command.type === type)?.atMs ?? 0,
  );
  expect(receipt.messageId).toBe(2);
  expect(client.all("throttleProducer").length).toBeGreaterThanOrEqual(1);
  expect((answered as number) - (told as number)).toBeGreaterThan(-1);
  expect(server.of("my-topic")).toEqual(["message 1", "message 2", "message 3"]);
  expect(server.signals.metrics().signals).toMatchObject({ confirmed: 0, late: 0 });
  expect(server.signals.metrics().signals.unconfirmed).toBeGreaterThanOrEqual(1);
  expect(server.errors).toEqual([]);
});
