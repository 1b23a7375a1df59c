import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient, isProducerThrottled, ProducerThrottledError } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { Deferred } from "./support/deferred.ts";
import { TestServer } from "./support/test-server.ts";

/** What a promise rejects with. */
function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a throttled producer", () => {
  it("fails a message at once that has less time than the throttle, with the reason, and again those that wait when another signal comes", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ runtime });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const producer = await client.createProducer("topic");
    const [connection] = server.connections;
    void connection?.throttle(producer.id, "TopicProduceQuotaExceeded", 700);
    await until("it is told", 20_000, () => producer.isThrottled());
    const error = await failure(producer.send("x", { timeout: 699 }));
    expect(isProducerThrottled(error)).toBe(true);
    expect(error).toBeInstanceOf(ProducerThrottledError);
    expect(error).toMatchObject({
      code: "DT_PRODUCER_THROTTLED",
      reason: "TopicProduceQuotaExceeded",
      retryAfterMs: 700,
      effect: "definite",
    });
    expect((error as Error).message).toContain("TopicProduceQuotaExceeded");

    const [short, long] = [failure(producer.send("a", { timeout: 800 })), producer.send("b", { timeout: 2_000 })];
    void connection?.throttle(producer.id, "ResourceGroupProduceQuotaExceeded", 1_000);
    expect(await short).toMatchObject({ code: "DT_PRODUCER_THROTTLED", reason: "ResourceGroupProduceQuotaExceeded" });
    // A signal that ends before another one does not end that.
    void connection?.throttle(producer.id, "ResourceGroupProduceQuotaExceeded", 10);
    await until("it is told", 20_000, () => client.metrics().throttled.some(({ ms }) => ms === 1_010));
    expect(producer.throttle()).toEqual({ reason: "ResourceGroupProduceQuotaExceeded", remainingMs: 1_000 });
    await runtime.advance(1_000);
    await long;
    expect(server.of("topic")).toEqual(["b"]);
  });

  it("times out with the reason while it is throttled, and when it was for most of the time; otherwise it simply times out", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ runtime, onPublish: () => new Deferred().promise });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const producer = await client.createProducer("topic");
    const [connection] = server.connections;
    const sent = async (options: { timeout: number }): Promise<{ readonly result: Promise<unknown> }> => {
      const before = server.of("topic").length;
      const result = failure(producer.send("x", options));
      await until("it is there", 20_000, () => server.of("topic").length > before);
      return { result };
    };
    const alone = await sent({ timeout: 500 });
    await runtime.advance(500);
    expect(await alone.result).toMatchObject({ code: "DT_SEND_TIMEOUT", effect: "unknown" });

    const during = await sent({ timeout: 500 });
    await runtime.advance(400);
    void connection?.throttle(producer.id, "TopicProduceQuotaExceeded", 200);
    await until("it is told", 20_000, () => producer.isThrottled());
    await runtime.advance(100);
    expect(await during.result).toMatchObject({
      code: "DT_PRODUCER_THROTTLED",
      reason: "TopicProduceQuotaExceeded",
      effect: "unknown",
    });
    // What is never answered stays on its way: there is room for more only a while after each throttle.
    await runtime.advance(1_000);

    for (const [ms, code] of [
      [400, "DT_PRODUCER_THROTTLED"],
      [399, "DT_SEND_TIMEOUT"],
    ] as const) {
      const mostly = await sent({ timeout: 500 });
      void connection?.throttle(producer.id, "TopicProduceQuotaExceeded", ms);
      await until("it is told", 20_000, () => producer.isThrottled());
      await runtime.advance(500);
      expect(await mostly.result).toMatchObject({ code });
      await runtime.advance(1_000);
    }
  });

  it("is told of a connection's breach, and times out with that reason while the server does not read", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({ runtime });
    await using client = createSignalClient({ connect: () => server.connect(), runtime });
    const producer = await client.createProducer("topic");
    const [connection] = server.connections;
    void connection?.throttle(producer.id, "ConnectionPendingMessagesBreach", 0);
    await until("it is told", 20_000, () => producer.isThrottled());
    const message = failure(producer.send("x", { timeout: 500 }));
    await runtime.advance(500);
    expect(await message).toMatchObject({ code: "DT_PRODUCER_THROTTLED", reason: "ConnectionPendingMessagesBreach" });
    connection?.resume("ConnectionPendingMessagesBreach");
    await until("it knows that the server reads on", 20_000, () => !producer.isThrottled());
    expect(client.metrics().throttled).toEqual([
      { label: "ConnectionPendingMessagesBreach", topic: "topic", times: 1, ms: 500 },
    ]);
  });

  it("keeps a bounded number of messages, gives up those whose signal aborts, and closes", async () => {
    // Its time stands still: it waits for the receipt as long as that takes.
    await using server = await TestServer.listen({ runtime: new VirtualRuntime() });
    await using client = createSignalClient({ connect: () => server.connect(), maxPendingMessages: 2 });
    const producer = await client.createProducer("topic");
    void server.connections[0]?.throttle(producer.id, "TopicProduceQuotaExceeded", 60_000);
    await until("it is told", 20_000, () => producer.isThrottled());
    const controller = new AbortController();
    const options = { timeout: "5m", signal: controller.signal } as const;
    const [one, two] = [failure(producer.send("1", options)), failure(producer.send("2", { timeout: "5m" }))];
    const { stackTraceLimit } = Error;
    const refusal = await failure(producer.send("3", { timeout: "5m" }));
    expect(refusal).toMatchObject({ code: "DT_QUEUE_FULL" });
    // It costs no stack, and other errors keep theirs.
    expect((refusal as Error).stack).not.toContain("\n    at ");
    expect([Error.stackTraceLimit, new Error("other").stack]).toEqual([
      stackTraceLimit,
      expect.stringContaining("\n    at "),
    ]);
    const why = new Error("no longer wanted");
    controller.abort(why);
    expect(await one).toBe(why);
    expect(producer.pendingMessages).toBe(1);
    await producer.close();
    expect(await two).toMatchObject({ code: "DT_STOPPED" });
    expect(await failure(producer.send("4"))).toMatchObject({ code: "DT_STOPPED" });
    expect(server.of("topic")).toEqual([]);
  });
});

describe("a partitioned producer", () => {
  it("is throttled when any partition is, and takes the others in turn", async () => {
    await using server = await TestServer.listen({ runtime: new VirtualRuntime() });
    await using client = createSignalClient({ connect: () => server.connect() });
    const producer = await client.createPartitionedProducer("topic", 3);
    const [connection] = server.connections;
    const counts = (): number[] => [0, 1, 2].map((n) => server.of(`topic-partition-${n}`).length);
    for (let i = 0; i < 6; i++) await producer.send("x");
    expect(counts()).toEqual([2, 2, 2]);
    expect(producer.isThrottled()).toBe(false);

    void connection?.throttle(producer.partitions[1]?.id as number, "TopicProduceQuotaExceeded", 60_000);
    await until("it is told", 20_000, () => producer.isThrottled());
    for (let i = 0; i < 6; i++) await producer.send("x");
    expect(counts()).toEqual([5, 2, 5]);
    // A key stays with its partition, throttled or not.
    const keyed = await Promise.all([1, 2].map(() => failure(producer.send("x", { key: "b", timeout: 10 }))));
    expect(keyed.every((error) => isProducerThrottled(error)) || counts().includes(7)).toBe(true);

    void connection?.throttle(producer.partitions[0]?.id as number, "TopicProduceQuotaExceeded", 50_000);
    void connection?.throttle(producer.partitions[2]?.id as number, "TopicProduceQuotaExceeded", 70_000);
    await until("all are told", 20_000, () => producer.partitions.every((partition) => partition.isThrottled()));
    // All of them are: the one that may send first.
    const waiting = failure(producer.send("x", { timeout: "5m" }));
    expect(producer.partitions.map((partition) => partition.pendingMessages)).toEqual([1, 0, 0]);
    expect(producer.throttle()?.remainingMs).toBeGreaterThan(60_000);
    await producer.close();
    expect(await waiting).toMatchObject({ code: "DT_STOPPED" });
  });
});

it("when its throttle ends, a producer has one message on its way at first, and twice as many every 100 ms", async () => {
  const runtime = new VirtualRuntime({ startMs: 10_300 });
  const hold: Deferred[] = [];
  const onPublish = () => {
    const deferred = new Deferred();
    hold.push(deferred);
    return deferred.promise;
  };
  await using server = await TestServer.listen({ runtime, onPublish });
  await using client = createSignalClient({ connect: () => server.connect(), runtime, maxInFlight: 20 });
  const producer = await client.createProducer("topic");
  void server.connections[0]?.throttle(producer.id, "TopicProduceQuotaExceeded", 100);
  await until("it is told", 20_000, () => producer.isThrottled());
  const sent = Array.from({ length: 60 }, () => producer.send("x"));
  const arrive = (count: number) => until(`${count} are there`, 20_000, () => server.of("topic").length === count);
  await runtime.advance(100);
  await arrive(1);
  let [confirmed, window] = [0, 1];
  for (const next of [2, 4, 8, 16, 20]) {
    await runtime.advance(100);
    hold.shift()?.resolve();
    confirmed += 1;
    window = next;
    await arrive(confirmed + window);
  }
  while (confirmed < 60) {
    hold.shift()?.resolve();
    confirmed += 1;
    await arrive(Math.min(60, confirmed + window));
  }
  await Promise.all(sent);
});
