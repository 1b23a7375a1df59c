import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient, createSignalServer } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { TestServer } from "./support/test-server.ts";

describe("quotas", () => {
  it("a resource group's are shared by its topics, and say so", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({
      topicQuota: (topic) => (topic === "alone" ? {} : { rate: "100/s", resourceGroup: "tenant" }),
      resourceGroups: { tenant: { rate: "6/s" } },
      runtime,
    });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const [a, b, alone] = await Promise.all(["a", "b", "alone"].map((topic) => client.createProducer(topic)));
    for (let i = 0; i < 3; i++) await a?.send("x");
    for (let i = 0; i < 3; i++) await b?.send("x");
    await until("b is told", 20_000, () => b?.throttle()?.reason === "ResourceGroupProduceQuotaExceeded");
    // a is told with its next message.
    await a?.send("x");
    await until("a is told", 20_000, () => a?.throttle()?.reason === "ResourceGroupProduceQuotaExceeded");
    await alone?.send("x");
    expect(alone?.isThrottled()).toBe(false);
    expect(server.signals.metrics().throttled).toEqual([
      { label: "resource-group", topic: "b", times: 1, ms: 700 },
      { label: "resource-group", topic: "a", times: 1, ms: 700 },
    ]);
    expect(client.metrics().throttled).toContainEqual({
      label: "ResourceGroupProduceQuotaExceeded",
      topic: "a",
      times: 1,
      ms: 700,
    });
  });

  it("bytes count as messages do, and a debt of several seconds is paid by signals that overlap", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ topicQuota: () => ({ byteRate: "1000/s" }), runtime });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const producer = await client.createProducer("topic");
    await producer.send(Buffer.alloc(3_200));
    await until("it is told", 20_000, () => producer.throttle()?.remainingMs === 700);
    const next = producer.send("x");
    const confirmed = (count: number): Promise<true> =>
      until("it is confirmed", 20_000, () => server.signals.metrics().signals.confirmed === count);
    for (const [i, mark] of [11_000, 12_000].entries()) {
      await confirmed(i + 1);
      // 100 ms before the end the next signal comes, and lasts until the mark after it.
      await runtime.advance(mark - 100 - runtime.now());
      await until("it is told again", 20_000, () => producer.throttle()?.remainingMs === 1_100);
      await runtime.advance(100);
      expect(producer.throttle()?.remainingMs).toBe(1_000);
    }
    await confirmed(3);
    // 10,300 ms + 2,200 ms of debt is over before the mark at 13,000 ms.
    await runtime.advance(1_000);
    await next;
    expect(runtime.now()).toBe(13_000);
    expect(server.signals.metrics().signals).toMatchObject({ sent: 3, confirmed: 3 });
  });

  it("a server that stood still past a mark asks for the rest of the second that it wakes in, not for a time that is over", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ topicQuota: () => ({ byteRate: "1000/s" }), runtime });
    await using client = createSignalClient({ connect: () => server.connect() });
    const told: number[] = [];
    client.on("throttled", ({ ms }) => told.push(ms));
    const producer = await client.createProducer("topic");
    await producer.send(Buffer.alloc(9_000));
    await until("it is told", 20_000, () => told.length === 1);
    runtime.jump(3_150);
    await runtime.advance(0);
    await until("it is told again", 20_000, () => told.length === 2);
    expect(told).toEqual([700, 550]);
  });

  it("that are none are refused, with a remedy", () => {
    const handler = { publish: () => 0 };
    const make = (options: object) => () => createSignalServer({ handler, ...options });
    expect(make({ brokerQuota: { rate: "0/s" } })).toThrow(
      'brokerQuota.rate is "0/s"; give a count and a time that are more than 0',
    );
    expect(make({ brokerQuota: { rat: 1 } })).toThrow("did you mean brokerQuota.rate?");
    expect(make({ maxMessageBufferBytes: 10_000 })).toThrow("maxMessageBufferBytes is 10000; give a whole number >=");
    expect(make({ maxPendingMessage: 1 })).toThrow("did you mean maxPendingMessages?");
    expect(() => createSignalServer({ handler: {} as never })).toThrow("handler is");
  });
});
