import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";
import { Tap } from "../support/tap.ts";
import { TestServer } from "../support/test-server.ts";

it("receipt: the throttled topic's messages wait for the mark, the other topics on the connection go on, and the server never stops reading", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_300 });
  const topicQuota = (topic: string) => (topic === "noisy" ? { rate: "2/s" as const } : {});
  await using server = await TestServer.listen({ topicQuota, runtime });
  await using tap = await Tap.before(server.endpoint);
  await using client = createSignalClient({ connect: () => tap.connect(), runtime });
  const [noisy, calm] = [await client.createProducer("noisy"), await client.createProducer("calm")];

  await Promise.all([noisy.send("1"), noisy.send("2")]);
  await until("the client is told", 20_000, () => noisy.isThrottled());
  expect(noisy.throttle()).toEqual({ reason: "TopicProduceQuotaExceeded", remainingMs: 700 });
  expect(calm.isThrottled()).toBe(false);
  const later = [noisy.send("3"), noisy.send("4")];
  for (const text of ["a", "b", "c"]) await calm.send(text);
  await until("the receipt is there", 20_000, () => server.signals.metrics().signals.confirmed === 1);

  await runtime.advance(699);
  await calm.send("d");
  expect(server.of("noisy")).toEqual(["1", "2"]);
  expect(noisy.isThrottled()).toBe(true);

  await runtime.advance(1);
  expect(noisy.isThrottled()).toBe(false);
  await Promise.all(later);
  expect(server.of("noisy")).toEqual(["1", "2", "3", "4"]);
  expect(server.of("calm")).toEqual(["a", "b", "c", "d"]);
  expect(server.signals.metrics().pauses.times).toBe(0);
  expect(tap.lines.filter((line) => !line.includes("connect"))).toEqual(
    expect.arrayContaining(["server throttleProducer", "client throttleProducerReceipt"]),
  );
  // Nothing of the producer came between its receipt and the time at which it may go on.
  const receipt = tap.lines.indexOf("client throttleProducerReceipt");
  const sends = tap.said.flatMap(({ command }, i) =>
    command.type === "send" && command.producerId === noisy.id && i > receipt ? [command.sequenceId] : [],
  );
  expect(sends).toEqual([3, 4]);
  await noisy.close();
});
