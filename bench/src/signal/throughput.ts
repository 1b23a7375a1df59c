import { once } from "node:events";
import { connect } from "node:net";
import { type Body, createSignalClient, decodeFrame, encodeFrame } from "@dt/signal";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { interleaved } from "../interleaved.ts";
import { spread } from "../statistics.ts";
import type { Throughput } from "./figures.ts";

const broker = new URL("../../../apps/broker/src/main.ts", import.meta.url);
const rawServer = new URL("./raw-tcp-server.ts", import.meta.url);

/** Messages on their way at once, the same for both. */
const WINDOW = 100;

const candidates = ["encode", "decode", "connection", "rawTcp"] as const;

/** The codec alone, and a connection beside bare TCP: the same payloads, the same window, a server process each. */
export async function throughput(payloadBytes: number, rounds: number, ms: number): Promise<Throughput> {
  const payload = Buffer.alloc(payloadBytes, "x");
  const measure: Readonly<Record<(typeof candidates)[number], () => Promise<number>>> = {
    encode: async () => rate(ms, (n) => encodeFrame({ type: "send", producerId: 1, sequenceId: n }, body(payload))),
    decode: async () => {
      const frame = encodeFrame({ type: "send", producerId: 1, sequenceId: 123_456 }, body(payload)).subarray(4);
      return rate(ms, () => decodeFrame(frame));
    },
    connection: () => overConnection(payload, ms),
    rawTcp: () => overTcp(payload, ms),
  };
  const [encode = [], decode = [], connection = [], rawTcp = []] = await interleaved(candidates, rounds, (name) =>
    measure[name](),
  );
  return {
    payloadBytes,
    encode: spread(encode),
    decode: spread(decode),
    connection: spread(connection),
    rawTcp: spread(rawTcp),
  };
}

function body(payload: Uint8Array): Body {
  return { payload, metadata: {} };
}

/** How often in a second of processor time, so that others on the machine do not count. */
function rate(ms: number, work: (n: number) => unknown): number {
  for (let n = 0; n < 20_000; n++) work(n);
  const start = process.cpuUsage();
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  let done = 0;
  while (usedMs() < ms) {
    for (let n = 0; n < 1_000; n++) work(n);
    done += 1_000;
  }
  return (done * 1_000) / usedMs();
}

async function overConnection(payload: Uint8Array, ms: number): Promise<number> {
  const server = new SourceProcess(broker, []);
  const port = Number(await server.said("listening"));
  const client = createSignalClient({
    connect: () => connect({ port, host: "127.0.0.1" }),
    maxInFlight: WINDOW,
  });
  const producer = await client.createProducer("topic");
  let [done, sending] = [0, true];
  const work = async (): Promise<void> => {
    while (sending) {
      await producer.send(payload);
      done += 1;
    }
  };
  const working = Promise.all(Array.from({ length: WINDOW }, work));
  const result = await counted(ms, () => done);
  sending = false;
  await working;
  await client.close();
  await server.kill();
  return result;
}

async function overTcp(payload: Buffer, ms: number): Promise<number> {
  const server = new SourceProcess(rawServer, []);
  const port = Number(await server.said("listening"));
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const framed = Buffer.alloc(4 + payload.length);
  framed.writeUInt32BE(payload.length);
  framed.set(payload, 4);
  let [confirmed, sent] = [0, 0];
  // As a connection does: what is sent in one turn goes out together.
  const fill = (): void => {
    socket.cork();
    for (; sent - Math.floor(confirmed) < WINDOW; sent++) socket.write(framed);
    socket.uncork();
  };
  socket.on("data", (chunk: Buffer) => {
    confirmed += chunk.length / 4;
    fill();
  });
  fill();
  const result = await counted(ms, () => confirmed);
  socket.destroy();
  await server.kill();
  return result;
}

/** How much a count grows in a second, after a warm-up. */
async function counted(ms: number, count: () => number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms / 2));
  const [startMs, start] = [performance.now(), count()];
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ((count() - start) * 1_000) / (performance.now() - startMs);
}
