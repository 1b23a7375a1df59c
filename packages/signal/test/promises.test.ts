import { VirtualRuntime } from "@dt/core/testing";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { RawClient } from "./support/raw-client.ts";
import { TestServer } from "./support/test-server.ts";

const payload = Buffer.alloc(1_000);

describe("a client that confirms and sends all the same", () => {
  it("costs at most the bytes that are allowed for it; then it is not read until the mark, and for a minute it is paused at once", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({
      topicQuota: (topic) => (topic === "noisy" ? { rate: "100/s" } : {}),
      maxBrokenPromiseBytes: 5_000,
      runtime,
    });
    using liar = await RawClient.ready(server.connect(), ["noisy"]);
    let sequence = 0;
    const send = (times: number): void => {
      for (let i = 0; i < times; i++) liar.send(1, ++sequence, payload);
    };
    send(100);
    const { requestId } = await liar.hears("throttleProducer");
    liar.say({ type: "throttleProducerReceipt", requestId });
    await until("it is believed", 20_000, () => server.signals.metrics().signals.confirmed === 1);
    send(1_000);
    await until("the connection is not read", 20_000, () => server.connections[0]?.status().paused);
    expect(server.of("noisy").length).toBe(105);
    expect(server.signals.metrics().signals).toMatchObject({ broken: 1, brokenBytes: 5_000, unconfirmedBytes: 0 });
    // What it sends stays where it is: with its system, and one read of the socket here.
    expect(server.signals.metrics().bufferedBytes).toBeLessThan(200_000);

    // At the mark 65 tokens are there: 70 that came in since, less the debt of 5.
    await runtime.advance(700);
    await until("some more came", 20_000, () => server.of("noisy").length === 170);
    await until("the connection is not read", 20_000, () => server.connections[0]?.status().paused);
    expect(server.signals.metrics().signals).toMatchObject({ sent: 1, broken: 1, brokenBytes: 5_000 });
    // Each second now costs exactly what the quota gives.
    for (let second = 1; second <= 3; second++) {
      await runtime.advance(1_000);
      await until("a second's worth came", 20_000, () => server.of("noisy").length === 170 + second * 100);
    }
    expect(server.errors).toEqual([]);
  });
});

describe("a client that does not confirm", () => {
  it("may send what was on its way, up to a bound, while it is waited for", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    await using server = await TestServer.listen({
      topicQuota: () => ({ byteRate: "10000/s" }),
      maxUnconfirmedBytes: 30_000,
      runtime,
    });
    using client = await RawClient.ready(server.connect(), ["noisy"]);
    for (let i = 1; i <= 200; i++) client.send(1, i, payload);
    await until("the connection is not read", 20_000, () => server.connections[0]?.status().paused);
    // 10 are the quota, 30 the bound; no time has passed.
    expect(server.of("noisy").length).toBe(40);
    // A debt of three seconds, and each of them ends with another one.
    await runtime.advance(700 + 2_000);
    expect(server.of("noisy").length).toBe(40);
    await runtime.advance(1_000);
    await until("it is read on", 20_000, () => server.of("noisy").length > 40);
  });
});

describe("throttle()", () => {
  it("tells what came of it: confirmed, or paused", async () => {
    const runtime = new VirtualRuntime();
    await using server = await TestServer.listen({ runtime });
    using client = await RawClient.ready(server.connect(), ["one", "two"]);
    const connection = server.connections[0];
    const first = connection?.throttle(1, "TopicProduceQuotaExceeded", 60_000);
    const { requestId } = await client.hears("throttleProducer");
    client.say({ type: "throttleProducerReceipt", requestId });
    expect(await first).toBe("confirmed");
    expect(connection?.status().paused).toBe(false);
    const second = connection?.throttle(2, "ResourceGroupProduceQuotaExceeded", 150);
    await runtime.advance(100);
    expect(await second).toBe("paused");
    await until("it is told", 20_000, () => client.all("throttleProducer").length === 2);
    expect(client.all("throttleProducer")[1]).toMatchObject({
      producerId: 2,
      pauseForMillis: 150,
      throttlingReason: "ResourceGroupProduceQuotaExceeded",
    });
    await runtime.advance(50);
    expect(connection?.status().paused).toBe(false);
  });

  it("for the whole connection: tells with a pause of 0, and reads on when it is told to", async () => {
    await using server = await TestServer.listen();
    using client = await RawClient.ready(server.connect(), ["one"]);
    const connection = server.connections[0];
    expect(await connection?.throttle(1, "MessageBufferSizeBreach", 0)).toBe("paused");
    expect(await client.hears("throttleProducer")).toMatchObject({
      pauseForMillis: 0,
      throttlingReason: "MessageBufferSizeBreach",
    });
    expect(connection?.status().paused).toBe(true);
    connection?.resume("MessageBufferSizeBreach");
    client.send(1, 1);
    await client.hears("sendReceipt");
  });

  it("refuses a producer or reason that there is not, and a topic's pause without an end", async () => {
    await using server = await TestServer.listen();
    using client = await RawClient.ready(server.connect(), ["one"]);
    const [connection] = server.connections;
    expect(client.closed).toBe(false);
    const invalid = expect.objectContaining({ code: "DT_INVALID_OPTION" });
    expect(() => connection?.throttle(2, "TopicProduceQuotaExceeded", 10)).toThrow(invalid);
    expect(() => connection?.throttle(1, "Because" as "TopicProduceQuotaExceeded", 10)).toThrow(invalid);
    expect(() => connection?.throttle(1, "TopicProduceQuotaExceeded", 0)).toThrow(invalid);
  });
});
