import { setTimeout as sleep } from "node:timers/promises";
import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient, encodeFrame } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { afterEach, describe, expect, it } from "vitest";
import { Deferred } from "./support/deferred.ts";
import { RawClient } from "./support/raw-client.ts";
import { TestServer } from "./support/test-server.ts";

const MIB = 1_024 * 1_024;
const KIB = 1_024;

const attackers: RawClient[] = [];

afterEach(() => {
  for (const attacker of attackers.splice(0)) attacker.socket.destroy();
});

/** A client that sends bytes as they are, greeted or not. */
async function attack(server: TestServer, greeted: boolean, bytes: Uint8Array): Promise<RawClient> {
  const client = greeted ? await RawClient.ready(server.connect(), []) : new RawClient(server.connect());
  attackers.push(client);
  client.socket.write(bytes);
  return client;
}

/** The size of a frame, and so many bytes of it. */
function begun(size: number, bytes = 0): Buffer {
  const frame = Buffer.alloc(4 + bytes);
  frame.writeUInt32BE(size);
  return frame;
}

/** A message whose frame has about so many bytes. */
const message = (bytes: number): Buffer => Buffer.alloc(bytes - 64, "x");

describe("frames that are announced and not sent", () => {
  it.each([
    { what: "13 clients that never say who they are", count: 13, greeted: false, bytes: 0 },
    { what: "40 greeted ones", count: 40, greeted: true, bytes: 0 },
    { what: "40 greeted ones, with a first piece of it", count: 40, greeted: true, bytes: 1_000 },
  ])("$what: others are served, and no room is taken", async ({ count, greeted, bytes }) => {
    await using server = await TestServer.listen();
    await using client = createSignalClient({ connect: () => server.connect() });
    const producer = await client.createProducer("honest");
    for (let i = 0; i < count; i++) await attack(server, greeted, begun(5 * MIB, bytes));
    // What comes after them on the same connection has been read, and so have they.
    await until("they are all here", 20_000, () => server.connections.length === 1 + count);
    for (const size of [100, 100 * KIB, 4 * MIB]) await producer.send(message(size), { timeout: "20s" });
    expect(server.signals.metrics().bufferedBytes).toBeLessThan(count * (4 * KIB + bytes) + 1);
    expect(server.of("honest").length).toBe(3);
  });

  it("before the greeting a frame of more than 4 KiB closes its connection at once", async () => {
    await using server = await TestServer.listen();
    const client = await attack(server, false, begun(4_097));
    await client.isClosed();
    expect(server.errors).toEqual([
      expect.objectContaining({ code: "DT_PROTOCOL", message: expect.stringContaining("at most 4096 are allowed") }),
    ]);
    const long = await attack(server, false, encodeFrame({ type: "connect", clientVersion: "v".repeat(4_000) }));
    await long.hears("connected");
  });
});

describe("frames that are sent all but their end", () => {
  /** Room of 1 MiB, frames of 256 KiB, in virtual time; and ten greeted clients that sent all of a frame but a byte. */
  async function stuck(): Promise<{ server: TestServer; runtime: VirtualRuntime }> {
    const runtime = new VirtualRuntime();
    const server = await TestServer.listen({ maxFrameBytes: 256 * KIB, maxMessageBufferBytes: MIB, runtime });
    for (let i = 0; i < 10; i++) await attack(server, true, begun(256 * KIB, 256 * KIB - 1));
    await until(
      "as much is taken as there is for such",
      20_000,
      () => server.signals.metrics().mostMessageBytes > 300 * KIB,
    );
    return { server, runtime };
  }

  it("small messages of others are served at once, also before the one byte that is missing", async () => {
    const { server } = await stuck();
    await using _ = server;
    await using client = createSignalClient({ connect: () => server.connect() });
    const producer = await client.createProducer("honest");
    for (let i = 0; i < 50; i++) await producer.send(message(60 * KIB));
    expect(server.signals.metrics().mostMessageBytes).toBeLessThanOrEqual(MIB);
  });

  it("a large one is served once those before it have had five seconds each at most", async () => {
    const { server, runtime } = await stuck();
    await using _ = server;
    await using client = createSignalClient({ connect: () => server.connect(), sendTimeout: 60_000 });
    const producer = await client.createProducer("honest");
    const sent = producer.send(message(250 * KIB)).then(() => true);
    let seconds = 0;
    for (let done = false; !done; seconds += 5) {
      await runtime.advance(5_000);
      done = await Promise.race([sent, sleep(100, false)]);
    }
    expect(seconds).toBeLessThanOrEqual(10 * 5 + 30);
    expect(server.errors[0]).toMatchObject({ message: expect.stringContaining("did not finish one within 5000 ms") });
  });

  it("a greeting, sent a byte a second, is given up when its time is over, and so is a frame", async () => {
    const runtime = new VirtualRuntime();
    await using server = await TestServer.listen({ runtime });
    const hello = encodeFrame({ type: "connect", clientVersion: "x".repeat(100) });
    const stranger = await attack(server, false, hello.subarray(0, 4));
    const known = await attack(server, true, begun(100));
    for (let second = 0; !(stranger.closed && known.closed); second++) {
      stranger.socket.write(hello.subarray(4 + second, 5 + second));
      known.socket.write("x");
      await runtime.advance(1_000);
      await sleep(2);
      expect(second).toBeLessThan(stranger.closed ? 61 : 30);
    }
    expect(server.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("did not send connect within 10000 ms"),
      expect.stringContaining("a frame was not finished within 30000 ms"),
    ]);
  });

  it("one that waited for room is not held to the time in which it was not read", async () => {
    const runtime = new VirtualRuntime();
    const hold = new Deferred();
    const settings = { maxFrameBytes: 256 * KIB, maxMessageBufferBytes: 512 * KIB, keepAlive: 10_000, runtime };
    await using server = await TestServer.listen({ ...settings, onPublish: () => hold.promise });
    using client = await RawClient.ready(server.connect(), ["t"]);
    for (let i = 1; i <= 2; i++) client.send(1, i, message(200 * KIB));
    const third = encodeFrame(
      { type: "send", producerId: 1, sequenceId: 3 },
      { payload: message(200 * KIB), metadata: {} },
    );
    client.socket.write(third.subarray(0, 60 * KIB));
    await until("it has begun", 20_000, () => server.signals.metrics().bufferedBytes > 450 * KIB);
    await runtime.advance(10_500);
    client.socket.write(third.subarray(60 * KIB, 190 * KIB));
    await until("the third is not read", 20_000, () => server.connections[0]?.status().paused);
    await runtime.advance(9_000);
    hold.resolve();
    await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 2);
    await until("it is read on", 20_000, () => server.connections[0]?.status().paused === false);
    await runtime.advance(1_000);
    client.socket.write(third.subarray(190 * KIB));
    await client.hears("sendReceipt", ({ sequenceId }) => sequenceId === 3);
    expect(server.errors).toEqual([]);
  });
});

it("a hundred large messages at once, for four of which there is room, all come to their end", async () => {
  await using server = await TestServer.listen({ maxFrameBytes: 256 * KIB, maxMessageBufferBytes: MIB });
  const clients = Array.from({ length: 100 }, () => createSignalClient({ connect: () => server.connect() }));
  const producers = await Promise.all(clients.map((client) => client.createProducer("t")));
  await Promise.all(producers.map((producer) => producer.send(message(250 * KIB))));
  expect(server.of("t").length).toBe(100);
  expect(server.errors).toEqual([]);
  expect(server.signals.metrics().mostMessageBytes).toBeLessThanOrEqual(MIB);
  for (const client of clients) await client.close();
  await until("nothing is held", 20_000, () => server.signals.metrics().bufferedBytes === 0);
});

it("connections that say nothing make place for those that do", async () => {
  await using server = await TestServer.listen({ maxConnections: 5 });
  const silent = await Promise.all(Array.from({ length: 5 }, () => attack(server, false, Buffer.alloc(0))));
  await until("they are here", 20_000, () => server.connections.length === 5);
  const honest = await Promise.all([1, 2, 3, 4].map(() => RawClient.ready(server.connect(), ["t"])));
  attackers.push(...honest);
  await until("four have gone", 20_000, () => silent.filter(({ closed }) => closed).length === 4);
  const last = await RawClient.ready(server.connect(), ["t"]);
  attackers.push(last);
  // All five have said who they are: one more is closed.
  const sixth = await attack(server, false, Buffer.alloc(0));
  await sixth.isClosed();
  expect([...honest, last].map(({ closed }) => closed)).toEqual([false, false, false, false, false]);
  expect(server.signals.metrics().connections).toBe(5);
});

describe("metrics", () => {
  it("count a frame that has begun once, at what has arrived of it", async () => {
    await using server = await TestServer.listen();
    await attack(server, true, begun(5 * MIB, 3 * MIB));
    const held = (): number => server.signals.metrics().bufferedBytes;
    await until("it has arrived", 20_000, () => held() > 3 * MIB);
    // The room of one frame, and one read of the socket.
    expect(held()).toBeLessThanOrEqual(5 * MIB + 64 * KIB);
    expect(server.connections[0]?.status().bufferedBytes).toBe(held());
  });

  it("never exceed their bounds, whatever clients do", async () => {
    const bounds = { maxConnections: 40, maxPendingMessages: 20, maxProducers: 10, maxOutgoingBytes: 4 * KIB };
    const room = { maxFrameBytes: 256 * KIB, maxMessageBufferBytes: MIB, maxBrokenPromiseBytes: 10_000 };
    await using server = await TestServer.listen({
      ...bounds,
      ...room,
      topicQuota: (topic) => (topic === "t" ? { byteRate: "100000/s" } : {}),
      onPublish: () => sleep(3),
    });
    const endMs = performance.now() + 4_000;
    let over = false;
    // A busy machine takes longer to fill a good part of the room.
    const running = (): boolean =>
      !over && (performance.now() < endMs || server.signals.metrics().mostMessageBytes < 250 * KIB);
    const greeted = (topics: string[], understands = true) => RawClient.ready(server.connect(), topics, understands);
    /** Does something over and over, as an attacker does, on a new connection whenever it is closed. */
    const again = async (begin: () => Promise<RawClient>, act: (client: RawClient, n: number) => void) => {
      while (running()) {
        const client = await begin();
        attackers.push(client);
        for (let n = 1; running() && !client.closed; n++) {
          if (client.socket.writableLength < MIB) act(client, n);
          await sleep(1);
        }
      }
    };
    const kinds: [() => Promise<RawClient>, (client: RawClient, n: number) => void][] = [
      // Frames that are begun and not finished, of all sizes.
      [() => greeted([]), (client, n) => n === 1 && client.socket.write(begun(200 * KIB, 150 * KIB))],
      [() => greeted([]), (client, n) => client.socket.write(n === 1 ? begun(256 * KIB) : Buffer.alloc(500))],
      [async () => new RawClient(server.connect()), (client, n) => n === 1 && client.socket.write(begun(4_000, 3_000))],
      // Messages of all sizes, from those who confirm and send on, and from those who do neither.
      [() => greeted(["t"]), (client, n) => client.send(1, n, message(1_000))],
      [() => greeted(["t"], false), (client, n) => client.send(1, n, message(100 * KIB))],
      [() => greeted(["free"]), (client, n) => client.send(1, n, message(n % 2 ? 250 * KIB : 100))],
      // Messages whose answers are not read.
      [
        () => greeted(["free"]),
        (client, n) => {
          client.socket.pause();
          client.send(1, n, "x");
        },
      ],
    ];
    const all = kinds.flatMap(([begin, act]) => [1, 2, 3].map(() => again(begin, act)));
    let samples = 0;
    while (running()) {
      const { bufferedBytes, boundBytes, mostMessageBytes, pendingMessages, connections } = server.signals.metrics();
      expect(bufferedBytes).toBeGreaterThanOrEqual(0);
      expect(bufferedBytes).toBeLessThanOrEqual(boundBytes);
      expect(mostMessageBytes).toBeLessThanOrEqual(MIB);
      expect(connections).toBeLessThanOrEqual(bounds.maxConnections);
      expect(pendingMessages).toBeLessThanOrEqual(bounds.maxPendingMessages * connections);
      for (const status of server.connections.map((connection) => connection.status()))
        expect(status.pendingMessages).toBeLessThanOrEqual(bounds.maxPendingMessages);
      samples += 1;
      await sleep(5);
    }
    over = true;
    for (const attacker of attackers) attacker.socket.destroy();
    await Promise.allSettled(all);
    expect(samples).toBeGreaterThan(20);
    // The room, and of each connection two reads of its socket, 64 KiB of a frame, and answers.
    expect(server.signals.metrics().boundBytes).toBe(MIB + 40 * (192 * KIB + 4 * KIB + 64 * 30));
  });
});
