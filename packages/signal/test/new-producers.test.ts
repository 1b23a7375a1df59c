import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { checkServerOptions } from "../src/server/options.ts";
import { LimitsOfTopics } from "../src/server/topic-limits.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestServer } from "./support/test-server.ts";

const BATCH = 40;

/** A server in virtual time, one of whose topics may have 20 messages, or 200 bytes, a second. */
async function serverOf(quota: object): Promise<{ server: TestServer; runtime: VirtualRuntime }> {
  const runtime = new VirtualRuntime({ startMs: 10_300 });
  const server = await TestServer.listen({
    topicQuota: (topic) => (topic === "calm" ? {} : quota),
    resourceGroups: { tenant: { rate: "20/s" } },
    runtime,
  });
  return { server, runtime };
}

/** A short job with a client of its own: a batch is sent, and the client is closed once it was kept or kept back. */
async function job(server: TestServer, signals = true): Promise<void> {
  const client = createSignalClient({ connect: () => server.connect(), supportsThrottleProducerCommands: signals });
  const producer = await client.createProducer("topic");
  const before = server.of("topic").length;
  const sent = Promise.allSettled(Array.from({ length: BATCH }, () => producer.send("0123456789")));
  await until("the batch is kept, or kept back", 20_000, () => {
    const connection = server.connections.at(-1)?.status();
    return server.of("topic").length >= before + BATCH || producer.isThrottled() || connection?.paused;
  });
  await client.close();
  await sent;
}

describe("a topic's quota holds whatever producers are made anew", () => {
  it.each([
    { what: "messages", quota: { rate: "20/s" }, signals: true },
    { what: "messages, of clients of before the signal", quota: { rate: "20/s" }, signals: false },
    { what: "bytes", quota: { byteRate: "200/s" }, signals: true },
    { what: "a resource group's", quota: { resourceGroup: "tenant" }, signals: true },
  ])("$what: short jobs, each with a connection of its own", async ({ quota, signals }) => {
    const { server, runtime } = await serverOf(quota);
    await using _ = server;
    for (let second = 0; second < 5; second++) {
      for (let jobs = 0; jobs < 3; jobs++) await job(server, signals);
      await runtime.advance(1_000);
    }
    const kept = server.of("topic").length;
    // A second's worth at first, 20 in each second since, and one batch that was on its way.
    expect(kept).toBeLessThanOrEqual(20 + 5 * 20 + BATCH);
    expect(kept).toBeGreaterThanOrEqual(5 * 20);
  });

  it.each([true, false])(
    "producers of one connection, which send whatever they are told (understands: %s)",
    async (understands) => {
      const { server } = await serverOf({ rate: "20/s" });
      await using _ = server;
      using client = await RawClient.ready(server.connect(), ["calm"], understands);
      const answered = (requestId: number) =>
        client.hears("producerSuccess", (answer) => answer.requestId === requestId);
      let paused = false;
      for (let id = 2; id < 12 && !paused; id++) {
        client.say({ type: "createProducer", requestId: id, producerId: id, topic: "topic", producerName: `p${id}` });
        await answered(id);
        for (let i = 1; i <= BATCH; i++) client.send(id, i);
        client.say({ type: "closeProducer", requestId: 100 + id, producerId: id });
        await until("it is closed, or its connection is not read", 20_000, () => {
          paused = server.connections[0]?.status().paused === true;
          return paused || client.all("success").some(({ requestId }) => requestId === 100 + id);
        });
      }
      expect([server.of("topic").length, paused]).toEqual([understands ? BATCH : 20, true]);
    },
  );

  it("a producer is told before it is made, and a client of before the signal goes on with its other topics", async () => {
    const { server, runtime } = await serverOf({ rate: "20/s" });
    await using _ = server;
    await job(server);
    using told = await RawClient.ready(server.connect(), ["topic"]);
    expect(told.heard.map(({ command }) => command.type)).toEqual(["connected", "throttleProducer", "producerSuccess"]);
    using old = await RawClient.ready(server.connect(), ["topic", "calm"], false);
    old.send(2, 1);
    await old.hears("sendReceipt");
    const status = () => server.connections.at(-1)?.status();
    expect(status()?.paused).toBe(false);
    old.send(1, 1, "late");
    await until("it is not read", 20_000, () => status()?.paused);
    expect(server.of("topic").length).toBe(BATCH);
    // 20 of debt are paid 1,000 ms later; the mark after that is at 12,000.
    await runtime.advance(1_700);
    await until("it is read on", 20_000, () => server.of("topic").at(-1) === "late");
  });

  it("a producer that reconnects is told again, and nothing is kept twice", async () => {
    const { server, runtime } = await serverOf({ rate: "20/s" });
    await using _ = server;
    await using client = createSignalClient({ connect: () => server.connect(), reconnectDelay: 1 });
    const producer = await client.createProducer("topic");
    const texts = Array.from({ length: 60 }, (_, n) => `${n}`);
    const sent = Promise.all(texts.map((text) => producer.send(text)));
    await until("it is told", 20_000, () => producer.isThrottled());
    const first = server.of("topic").length;
    for (let again = 2; again < 5; again++) {
      const told = server.signals.metrics().signals.sent;
      server.connections.at(-1)?.close();
      await until("it is told again", 20_000, () => server.signals.metrics().signals.sent > told);
      expect(server.connections.length).toBe(again);
    }
    expect(server.of("topic").length).toBe(first);
    for (let second = 0; second < 10; second++) await runtime.advance(1_000);
    await sent;
    expect(server.of("topic")).toEqual(texts);
  });
});

describe("what a server remembers of topics", () => {
  const limitsOf = (options: object): { limits: LimitsOfTopics; runtime: VirtualRuntime } => {
    const runtime = new VirtualRuntime();
    const settings = checkServerOptions({ handler: { publish: () => 0 }, runtime, ...options });
    return { limits: new LimitsOfTopics(settings), runtime };
  };
  const quota = { topicQuota: () => ({ rate: "10/s" }) };

  it("a debt, until it is paid and the bucket is full again, and nothing else", async () => {
    const { limits, runtime } = limitsOf(quota);
    for (let i = 0; i < 25; i++) limits.open("topic").take(1, runtime.now());
    for (let i = 0; i < 25; i++) limits.close("topic");
    await runtime.advance(2_499);
    expect([limits.size, limits.open("topic").exhausted(runtime.now())]).toEqual([1, undefined]);
    limits.close("topic");
    await runtime.advance(1);
    expect([limits.size, runtime.pendingTimers]).toEqual([0, 0]);
    limits.open("untouched");
    limits.close("untouched");
    expect(limits.size).toBe(0);
  });

  it("a debt that grew after another producer had left", async () => {
    const { limits, runtime } = limitsOf(quota);
    limits.open("topic").take(1, runtime.now());
    limits.close("topic");
    await runtime.advance(50);
    const again = limits.open("topic");
    for (let i = 0; i < 30; i++) again.take(1, runtime.now());
    limits.close("topic");
    await runtime.advance(1_000);
    expect(limits.open("topic").exhausted(runtime.now())).toBe("TopicProduceQuotaExceeded");
  });

  it("the limits of a topic in use, however long they are full: its producers share them", async () => {
    const { limits, runtime } = limitsOf(quota);
    const one = limits.open("topic");
    limits.open("topic");
    limits.close("topic");
    await runtime.advance(60_000);
    const other = limits.open("topic");
    for (let i = 0; i < 5; i++) {
      one.take(1, runtime.now());
      other.take(1, runtime.now());
    }
    expect([one.exhausted(runtime.now()), limits.size]).toEqual(["TopicProduceQuotaExceeded", 1]);
  });

  it("a bounded number of debts: with more, topics that are not known are refused until some are paid", async () => {
    const { limits, runtime } = limitsOf({ ...quota, maxClosedTopics: 50 });
    const use = (topic: string): void => {
      limits.open(topic).take(1, runtime.now());
      limits.close(topic);
    };
    for (let n = 0; n < 50; n++) use(`flood ${n}`);
    expect(() => limits.open("new")).toThrow(expect.objectContaining({ code: "DT_REFUSED" }));
    expect(() => use("flood 7")).not.toThrow();
    expect(limits.size).toBe(50);
    await runtime.advance(200);
    expect(limits.size).toBe(0);
    expect(() => use("new")).not.toThrow();
  });

  it("nothing of a flood of topics that have no quota, or whose quota is full", async () => {
    const { limits } = limitsOf({ maxClosedTopics: 1 });
    for (let n = 0; n < 1_000; n++) {
      limits.open(`${n}`).take(1, 0);
      limits.close(`${n}`);
    }
    expect(limits.size).toBe(0);
  });
});

it("a producer that comes back under its name, in another process, goes on after what the server has of it", async () => {
  await using server = await TestServer.listen();
  const send = async (prefix: string): Promise<number[]> => {
    await using client = createSignalClient({ connect: () => server.connect() });
    const producer = await client.createProducer("topic", { name: "the one" });
    const sent = Array.from({ length: 68 }, (_, n) => producer.send(`${prefix} ${n}`));
    return (await Promise.all(sent)).map(({ sequenceId }) => sequenceId);
  };
  const numbers = [...(await send("first")), ...(await send("second"))];
  expect(numbers).toEqual(Array.from({ length: 136 }, (_, n) => n + 1));
  expect(server.of("topic")).toEqual(
    ["first", "second"].flatMap((prefix) => Array.from({ length: 68 }, (_, n) => `${prefix} ${n}`)),
  );
  expect(server.errors).toEqual([]);
});
