import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { Deferred } from "../support/deferred.ts";
import { Tap } from "../support/tap.ts";
import { TestServer } from "../support/test-server.ts";

const text = (n: number): string => `message ${n}`;

describe("connection-level breach: every producer is told with a pause of 0, and the connection is not read", () => {
  it("pending messages: until half of them are done", async () => {
    const done: Deferred[] = [];
    const onPublish = (): Promise<void> => {
      const deferred = new Deferred();
      done.push(deferred);
      return deferred.promise;
    };
    await using server = await TestServer.listen({ maxPendingMessages: 4, onPublish });
    await using tap = await Tap.before(server.endpoint);
    await using client = createSignalClient({ connect: () => tap.connect() });
    const [one, other] = [await client.createProducer("one"), await client.createProducer("other")];
    const paused = (): boolean | undefined => server.connections[0]?.status().paused;

    const sent = [1, 2, 3, 4, 5, 6].map((n) => one.send(text(n)));
    await until("both are told", 20_000, () => one.isThrottled() && other.isThrottled());
    for (const producer of [one, other])
      expect(producer.throttle()).toEqual({ reason: "ConnectionPendingMessagesBreach", remainingMs: 0 });
    expect(paused()).toBe(true);
    expect(server.of("one")).toEqual([1, 2, 3, 4].map(text));

    done[0]?.resolve();
    await sent[0];
    expect(paused()).toBe(true);
    expect(one.isThrottled()).toBe(true);
    done[1]?.resolve();
    await until("the rest is read", 20_000, () => server.of("one").length === 6);
    // Four are pending again: two of before, and the two that were read now.
    expect(paused()).toBe(true);
    for (const { resolve } of done) resolve();
    await Promise.all(sent);
    await until("both know that the server reads on", 20_000, () => !one.isThrottled() && !other.isThrottled());
    expect(paused()).toBe(false);
    expect(
      tap.said.flatMap(({ command }) => (command.type === "throttleProducer" ? [command.pauseForMillis] : [])),
    ).toEqual([0, 0, 0, 0]);
  });

  it("message buffer: all connections share it, and who finds no room is read on when half of it is free", async () => {
    const hold = new Deferred();
    await using server = await TestServer.listen({
      maxFrameBytes: 4_096,
      maxMessageBufferBytes: 8_192,
      onPublish: () => hold.promise,
    });
    await using first = createSignalClient({ connect: () => server.connect() });
    await using second = createSignalClient({ connect: () => server.connect() });
    const [a, b] = [await first.createProducer("a"), await second.createProducer("b")];
    const sent = [1, 2, 3, 4].map(() => a.send(Buffer.alloc(1_800)));
    await until("three or four are pending", 20_000, () => server.signals.metrics().pendingMessages === 4);
    const refused = b.send(Buffer.alloc(1_800));
    await until("the other one is told", 20_000, () => b.throttle()?.reason === "MessageBufferSizeBreach");
    expect(server.connections.map((connection) => connection.status().paused)).toEqual([false, true]);
    expect(a.isThrottled()).toBe(false);
    hold.resolve();
    await Promise.all([...sent, refused]);
    expect(server.signals.metrics().mostMessageBytes).toBeLessThanOrEqual(8_192);
    await until("nothing is held", 20_000, () => server.signals.metrics().bufferedBytes === 0);
  });

  it("the broker's quota: until half a second's worth is there again", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ brokerQuota: { rate: "10/s" }, runtime });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const producer = await client.createProducer("one");
    const sent = Array.from({ length: 15 }, (_, n) => producer.send(text(n)));
    await until("it is told", 20_000, () => producer.throttle()?.reason === "BrokerProduceQuotaExceeded");
    expect(server.of("one").length).toBe(10);
    await runtime.advance(499);
    expect(server.of("one").length).toBe(10);
    await runtime.advance(1);
    await Promise.all(sent);
    expect(server.signals.metrics()).toMatchObject({
      throttled: [{ label: "broker", topic: "", times: 1 }],
      pauses: { times: 1, ms: 500 },
    });
  });
});
