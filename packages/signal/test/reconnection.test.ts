import { connect } from "node:net";
import { createSignalClient } from "@dt/signal";
import { FaultProxy, until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { TestServer } from "./support/test-server.ts";

describe("a connection that is lost", () => {
  it("again and again, while the topic is far above its quota: every message arrives once, and in order", async () => {
    await using server = await TestServer.listen({ topicQuota: () => ({ rate: "150/s" }) });
    const proxy = await FaultProxy.listen(server.endpoint);
    await using client = createSignalClient({
      connect: () => connect({ port: proxy.port, noDelay: true }),
      reconnectDelay: 10,
      maxInFlight: 20,
    });
    const producer = await client.createProducer("topic");
    const texts = Array.from({ length: 400 }, (_, n) => `${n}`);
    const sent = texts.map((text) => producer.send(text));
    for (const [i, count] of [20, 130, 200, 310].entries()) {
      await until(`${count} messages are there`, 20_000, () => server.of("topic").length >= count);
      proxy.resetClients();
      await until("there is another connection", 20_000, () => server.connections.length === i + 2);
    }
    await Promise.all(sent);
    expect(server.of("topic")).toEqual(texts);
    expect(server.errors.filter((error) => "code" in error && error.code === "DT_PROTOCOL")).toEqual([]);
    await proxy.close();
  });

  it("with messages that never arrived: those that are sent after them get numbers of their own, and all are kept", async () => {
    await using server = await TestServer.listen();
    const proxy = await FaultProxy.listen(server.endpoint);
    await using client = createSignalClient({ connect: () => connect(proxy.endpoint), reconnectDelay: 10 });
    const producer = await client.createProducer("topic", { name: "the one" });
    await producer.send("0");
    proxy.apply({ type: "half-open" });
    const texts = Array.from({ length: 136 }, (_, n) => `${n + 1}`);
    const lost = texts.slice(0, 68).map((text) => producer.send(text));
    proxy.apply(undefined);
    proxy.reset();
    const after = texts.slice(68).map((text) => producer.send(text));
    const numbers = (await Promise.all([...lost, ...after])).map(({ sequenceId }) => sequenceId);
    expect(numbers).toEqual(texts.map((text) => Number(text) + 1));
    expect(server.of("topic")).toEqual(["0", ...texts]);
    expect(server.errors.filter((error) => "code" in error && error.code === "DT_PROTOCOL")).toEqual([]);
    await proxy.close();
  });

  it("takes a breach of the connection with it: the next one is read", async () => {
    await using server = await TestServer.listen();
    const proxy = await FaultProxy.listen(server.endpoint);
    await using client = createSignalClient({ connect: () => connect(proxy.endpoint), reconnectDelay: 10 });
    const producer = await client.createProducer("topic");
    void server.connections[0]?.throttle(producer.id, "MessageBufferSizeBreach", 0);
    await until("it is told", 20_000, () => producer.isThrottled());
    proxy.reset();
    await producer.send("x");
    expect(producer.isThrottled()).toBe(false);
    await proxy.close();
  });

  it("nobody answers: a new producer is told in time, and the client tries on until it is closed", async () => {
    await using server = await TestServer.listen();
    const proxy = await FaultProxy.listen(server.endpoint);
    proxy.apply({ type: "half-open" });
    const client = createSignalClient({
      connect: () => connect(proxy.endpoint),
      reconnectDelay: 10,
      requestTimeout: 200,
    });
    await expect(client.createProducer("topic")).rejects.toMatchObject({ code: "DT_CONNECTION_LOST" });
    await client.close();
    await expect(client.createProducer("topic")).rejects.toMatchObject({ code: "DT_STOPPED" });
    await proxy.close();
  });

  it("a server that falls silent is given up, and so is a client", async () => {
    await using server = await TestServer.listen({ keepAlive: 100 });
    const proxy = await FaultProxy.listen(server.endpoint);
    await using client = createSignalClient({
      connect: () => connect(proxy.endpoint),
      reconnectDelay: 10,
      keepAlive: 100,
    });
    const producer = await client.createProducer("topic");
    await producer.send("1");
    const ends: unknown[] = [];
    client.on("disconnected", ({ error }) => ends.push(error));
    proxy.apply({ type: "half-open" });
    await until("the client gives up", 20_000, () => ends.length > 0);
    proxy.apply(undefined);
    await producer.send("2");
    expect(server.of("topic")).toEqual(["1", "2"]);
    await proxy.close();
  });
});
