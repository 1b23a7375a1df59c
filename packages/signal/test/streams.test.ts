import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, PassThrough } from "node:stream";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { createSignalClient, createSignalServer, type ServerConnection } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";

/** One client far above its topic's quota, over streams of some kind. */
async function exchange(
  listen: (serve: (stream: Duplex) => void) => Server,
  dial: (server: Server) => Duplex,
): Promise<void> {
  const kept: number[] = [];
  const asked: boolean[] = [];
  const connections: ServerConnection[] = [];
  const watched = (stream: Duplex): Duplex => {
    const socket = stream as Socket;
    const setNoDelay = socket.setNoDelay.bind(socket);
    socket.setNoDelay = (noDelay) => {
      asked.push(noDelay === true);
      return setNoDelay(noDelay);
    };
    return socket;
  };
  const signals = createSignalServer({
    topicQuota: () => ({ rate: "50/s" }),
    // A busy machine has time as well.
    throttleProducerReceiptWaitTimeMillis: 60_000,
    handler: { publish: ({ payload }) => kept.push(payload.length) },
  });
  const server = listen((stream) => void connections.push(signals.attach(watched(stream))));
  await once(server, "listening");
  const client = createSignalClient({ connect: () => watched(dial(server)), reconnectDelay: 1 });
  const producer = await client.createProducer("topic");
  const sizes = [3_000_000, ...Array.from({ length: 99 }, (_, n) => n)];
  const sent = Promise.all(sizes.map((size) => producer.send(Buffer.alloc(size, "x"))));
  await until("it is told", 20_000, () => producer.isThrottled());
  await sent;
  expect(kept).toEqual(sizes);
  // Both sides send at once, and do so after a reconnection.
  expect(asked).toEqual([true, true]);
  // What the client confirms comes after what it was told, and need not come before the last acknowledgement.
  await until("it has confirmed", 20_000, () => signals.metrics().signals.confirmed > 0);
  for (const connection of connections) connection.close();
  await until("there is another connection", 20_000, () => connections.length === 2);
  await producer.send("again");
  expect(asked).toEqual([true, true, true, true]);
  await client.close();
  await signals.close();
  server.close();
}

it("a stream that is no socket is one of bytes", async () => {
  const signals = createSignalServer({ handler: { publish: () => 7 } });
  const pair = (): [Duplex, Duplex] => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const end = (readable: PassThrough, writable: PassThrough) => Duplex.from({ readable, writable });
    return [end(back, there), end(there, back)];
  };
  const client = createSignalClient({
    connect: () => {
      const [ours, theirs] = pair();
      signals.attach(theirs);
      return ours;
    },
  });
  const producer = await client.createProducer("topic");
  expect(await producer.send("x")).toEqual({ sequenceId: 1, messageId: 7 });
  await client.close();
  await signals.close();
});

it("TLS carries signals, and payloads of megabytes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dt-signal-"));
  try {
    const [key, cert] = ["server.key", "server.crt"].map((name) => join(folder, name)) as [string, string];
    const request = [
      "req",
      "-x509",
      "-nodes",
      "-days",
      "2",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
    ];
    await promisify(execFile)("openssl", [...request, "-subj", "/CN=localhost", "-keyout", key, "-out", cert]);
    const [keyText, certText] = await Promise.all([readFile(key), readFile(cert)]);
    await exchange(
      (serve) => createTlsServer({ key: keyText, cert: certText }, serve).listen(0, "127.0.0.1"),
      (server) => connectTls({ port: (server.address() as AddressInfo).port, ca: certText, servername: "localhost" }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("TCP does as well, wired as the README has it", () =>
  exchange(
    (serve) => createServer(serve).listen(0, "127.0.0.1"),
    (server) => connect((server.address() as AddressInfo).port, "127.0.0.1"),
  ));

it("a Unix socket does as well", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dt-signal-"));
  try {
    const path = join(folder, "socket");
    await exchange(
      (serve) => createServer(serve).listen(path),
      () => connect(path),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
