import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { createSignalClient, createSignalServer } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { expect, it } from "vitest";

/** One client far above its topic's quota, over streams of some kind. */
async function exchange(
  listen: (serve: (stream: Duplex) => void) => Server,
  dial: (server: Server) => Duplex,
): Promise<void> {
  const kept: number[] = [];
  const signals = createSignalServer({
    topicQuota: () => ({ messagesPerSecond: 50 }),
    // A busy machine has time as well.
    throttleProducerReceiptWaitTimeMillis: 60_000,
    handler: { publish: ({ payload }) => kept.push(payload.length) },
  });
  const server = listen((stream) => void signals.attach(stream));
  await once(server, "listening");
  const client = createSignalClient({ connect: () => dial(server) });
  const producer = await client.createProducer("topic");
  const sizes = [3_000_000, ...Array.from({ length: 99 }, (_, n) => n)];
  const sent = Promise.all(sizes.map((size) => producer.send(Buffer.alloc(size, "x"))));
  await until("it is told", 20_000, () => producer.isThrottled());
  await sent;
  expect(kept).toEqual(sizes);
  // What the client confirms comes after what it was told, and need not come before the last acknowledgement.
  await until("it has confirmed", 20_000, () => signals.metrics().signals.confirmed > 0);
  await client.close();
  await signals.close();
  server.close();
}

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
