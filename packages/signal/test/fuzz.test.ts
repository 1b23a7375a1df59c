import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, createSignalClient, encodeFrame, LARGEST_FRAME_BYTES } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deferred } from "./support/deferred.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestServer } from "./support/test-server.ts";

/** A neighbour that must not notice anything. */
async function neighbour(server: TestServer) {
  const client = createSignalClient({ connect: () => server.connect() });
  return { client, producer: await client.createProducer("calm") };
}

const protocol = expect.objectContaining({ code: "DT_PROTOCOL" });
const send = (sequenceId: number, producerId = 1): Buffer =>
  encodeFrame({ type: "send", producerId, sequenceId }, { payload: Buffer.from("x"), metadata: {} });

describe("whatever a client sends, at worst its connection is closed", () => {
  it("random bytes, frames cut short and changed: the server goes on, and keeps nothing of them", async () => {
    await using server = await TestServer.listen({
      topicQuota: (topic) => (topic === "calm" ? {} : { rate: "5/s" }),
    });
    const { client, producer } = await neighbour(server);
    const good = [
      encodeFrame({ type: "connect", clientVersion: "x", featureFlags: { supportsThrottleProducerCommands: true } }),
      encodeFrame({ type: "createProducer", requestId: 1, producerId: 1, topic: "t", producerName: "n" }),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => send(n)),
      encodeFrame({ type: "throttleProducerReceipt", requestId: 1 }),
      encodeFrame({ type: "subscribe", requestId: 2, consumerId: 1, topic: "t" }),
      encodeFrame({ type: "ping" }),
    ];
    const bytes = Buffer.concat(good);
    const change = fc.record({ at: fc.nat({ max: bytes.length - 1 }), to: fc.nat({ max: 255 }) });
    const input = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 500 }).map((random) => Buffer.from(random)),
      fc.nat({ max: bytes.length }).map((length) => bytes.subarray(0, length)),
      fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
        const changed = Buffer.from(bytes);
        for (const { at, to } of changes) changed[at] = to;
        return changed;
      }),
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 3 }), async (chunks) => {
        const attacker = new RawClient(server.connect());
        for (const chunk of chunks) attacker.socket.write(chunk);
        attacker.socket.end();
        await attacker.isClosed();
        runs += 1;
        if (runs % 25 === 0) await producer.send(`${runs}`);
      }),
      { numRuns: 200 },
    );
    await producer.send("last");
    await until("nothing is held", 20_000, () => server.signals.metrics().bufferedBytes === 0);
    expect(server.signals.metrics().connections).toBe(1);
    for (const error of server.errors)
      expect(["DT_PROTOCOL", "ECONNRESET", "EPIPE"]).toContain((error as { code?: string }).code);
    await client.close();
  });

  const hello = { type: "connect", clientVersion: "x" } as const;
  it.each<{ what: string; says: readonly (Command | Buffer)[] }>([
    {
      what: "a frame of 5 MiB + 1",
      says: [Buffer.from((LARGEST_FRAME_BYTES + 1).toString(16).padStart(8, "0"), "hex")],
    },
    { what: "a frame of 3 bytes", says: [Buffer.from("00000003ffffff", "hex")] },
    { what: "a command longer than its frame", says: [Buffer.from("0000000400000009", "hex")] },
    { what: "a command that nobody knows", says: [Buffer.from("0000000800000004fa070108", "hex")] },
    { what: "no greeting", says: [{ type: "ping" }] },
    { what: "two greetings", says: [hello, hello] },
    { what: "a message of a producer that is not there", says: [hello, send(1, 77)] },
    {
      what: "the end of a producer that is not there",
      says: [hello, { type: "closeProducer", requestId: 1, producerId: 5 }],
    },
    { what: "room for a consumer that is not there", says: [hello, { type: "flow", consumerId: 1, permits: 1 }] },
    { what: "a receipt of no request", says: [hello, { type: "throttleProducerReceipt", requestId: 1 }] },
    { what: "a receipt of request 0", says: [hello, { type: "throttleProducerReceipt", requestId: 0 }] },
    { what: "what only servers say", says: [hello, { type: "connected", serverVersion: "x" }] },
    {
      what: "a producer made twice",
      says: [
        hello,
        ...[1, 2].map(
          (requestId) =>
            ({ type: "createProducer", requestId, producerId: 1, topic: "t", producerName: `n${requestId}` }) as const,
        ),
      ],
    },
  ])("$what: a protocol error", async ({ says }) => {
    await using server = await TestServer.listen();
    using attacker = new RawClient(server.connect());
    for (const what of says) attacker.socket.write(Buffer.isBuffer(what) ? what : encodeFrame(what));
    await attacker.isClosed();
    await until("the server says why", 20_000, () => server.errors.length === 1);
    expect(server.errors).toEqual([protocol]);
    expect(server.signals.metrics()).toMatchObject({ connections: 0, bufferedBytes: 0 });
  });

  it("messages out of order: a protocol error", async () => {
    await using server = await TestServer.listen();
    using client = await RawClient.ready(server.connect(), ["t"]);
    client.send(1, 5);
    client.send(1, 5);
    await client.isClosed();
    expect(server.errors).toEqual([protocol]);
    expect(server.of("t")).toEqual(["message 5"]);
  });

  it("topics and producers that the server does not want are refused, and the connection stays", async () => {
    await using server = await TestServer.listen({ maxProducers: 2 });
    using client = await RawClient.ready(server.connect(), ["a", "b"]);
    client.say({ type: "createProducer", requestId: 3, producerId: 3, topic: "c", producerName: "c" });
    client.say({ type: "createProducer", requestId: 4, producerId: 4, topic: "", producerName: "c" });
    client.say({ type: "subscribe", requestId: 5, consumerId: 1, topic: "a" });
    for (const id of [3, 4, 5]) await client.hears("error", ({ requestId }) => requestId === id);
    client.send(1, 1);
    await client.hears("sendReceipt");
  });

  it("one connection too many, one that never says who it is, one that begins a frame and stops: closed", async () => {
    await using server = await TestServer.listen({ maxConnections: 3, handshakeTimeout: 150, keepAlive: 150 });
    using silent = new RawClient(server.connect());
    using slow = await RawClient.ready(server.connect(), ["t"]);
    using halfOpen = await RawClient.ready(server.connect(), ["t"]);
    using fourth = new RawClient(server.connect());
    await fourth.isClosed();
    slow.socket.write(Buffer.from("00500000", "hex"));
    // It takes 5 MiB of room while it lasts.
    await until("it has room", 20_000, () => server.signals.metrics().bufferedBytes > 5_000_000 || slow.closed);
    await Promise.all([silent, slow, halfOpen].map((client) => client.isClosed()));
    expect(server.signals.metrics()).toMatchObject({ connections: 0, bufferedBytes: 0 });
  });

  it("a client that does not read its answers is read no more, and closed after a while", async () => {
    await using server = await TestServer.listen({ maxOutgoingBytes: 1, keepAlive: 300 });
    using client = await RawClient.ready(server.connect(), ["t"]);
    client.socket.pause();
    let sequence = 0;
    const most: number[] = [];
    while (!client.closed && server.signals.metrics().connections > 0) {
      for (let i = 0; i < 2_000 && client.socket.writableLength < 1_000_000; i++) client.send(1, ++sequence, "x");
      most.push(server.signals.metrics().bufferedBytes);
      await sleep(2);
    }
    expect(server.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("did not read its answers") }),
    ]);
    expect(Math.max(...most)).toBeLessThan(600_000);
  });

  it("a handler that throws answers the message, and nothing else", async () => {
    const hold = new Deferred();
    await using server = await TestServer.listen({
      onPublish: ({ sequenceId }) => {
        if (sequenceId === 1) throw new Error("the disk is full");
        return sequenceId === 2 ? Promise.reject(new Error("still full")) : hold.promise;
      },
    });
    await using client = createSignalClient({ connect: () => server.connect() });
    const producer = await client.createProducer("t");
    await expect(producer.send("1")).rejects.toMatchObject({
      code: "DT_REFUSED",
      message: expect.stringContaining("the disk is full"),
    });
    await expect(producer.send("2")).rejects.toMatchObject({
      code: "DT_REFUSED",
      message: expect.stringContaining("still full"),
    });
    hold.resolve();
    expect(await producer.send("3")).toEqual({ sequenceId: 3, messageId: 2 });
    expect(server.signals.metrics()).toMatchObject({ pendingMessages: 0, bufferedBytes: 0 });
  });
});

describe("whatever a server sends, at worst the client connects again", () => {
  it.each<{ what: string; says: Buffer }>([
    { what: "random bytes", says: Buffer.from("47455420 2f204854 54502f31".replaceAll(" ", ""), "hex") },
    { what: "a frame of 5 MiB + 1", says: Buffer.from("00500001", "hex") },
    { what: "what only clients say", says: encodeFrame({ type: "flow", consumerId: 1, permits: 1 }) },
    {
      what: "two greetings",
      says: Buffer.concat([1, 2].map(() => encodeFrame({ type: "connected", serverVersion: "x" }))),
    },
  ])("$what", async ({ says }) => {
    let connections = 0;
    const tcp = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {});
      socket.write(says);
    }).listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const { port } = tcp.address() as { port: number };
    const client = createSignalClient({
      connect: () => connect(port, "127.0.0.1"),
      reconnectDelay: 5,
      requestTimeout: 300,
    });
    await expect(client.createProducer("t")).rejects.toMatchObject({ code: "DT_CONNECTION_LOST" });
    expect(connections).toBeGreaterThan(0);
    await client.close();
    tcp.close();
  });

  it("answers and signals for what is not there are ignored", async () => {
    const tcp = createServer((socket) => {
      socket.on("error", () => {});
      const client = new RawClient(socket);
      client.say(
        { type: "connected", serverVersion: "x" },
        { type: "sendReceipt", producerId: 9, sequenceId: 9, messageId: 9 },
        { type: "sendError", producerId: 9, sequenceId: 9, message: "?" },
        {
          type: "throttleProducer",
          requestId: 9,
          producerId: 9,
          throttlingReason: "TopicProduceQuotaExceeded",
          pauseForMillis: 9,
        },
        { type: "success", requestId: 99 },
        { type: "pong" },
      );
      void client
        .hears("createProducer")
        .then(({ requestId }) =>
          client.say({ type: "producerSuccess", requestId, producerName: "n", lastSequenceId: 0 }),
        );
    }).listen(0, "127.0.0.1");
    await once(tcp, "listening");
    await using client = createSignalClient({
      connect: () => connect((tcp.address() as AddressInfo).port, "127.0.0.1"),
    });
    const producer = await client.createProducer("t");
    expect([producer.isThrottled(), client.metrics().throttled]).toEqual([false, []]);
    tcp.close();
  });
});
