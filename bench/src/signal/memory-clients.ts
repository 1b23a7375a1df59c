/**
 * `node memory-clients.ts <port> <connections> <kind> <messages a second>`: many connections, a producer and a topic
 * each. Those that confirm are clients as they should be; those that lie confirm and send on; those that are silent say
 * nothing. Says `ready` when all are there, and ends with its standard input.
 */
import { connect, type Socket } from "node:net";
import { type Command, createSignalClient, decodeFrame, encodeFrame, FrameReader, type Producer } from "@dt/signal";

const [port, connections, kind, perSecond] = process.argv.slice(2) as [string, string, string, string];
const PAYLOAD = Buffer.alloc(1_024, "x");
const TICK_MS = 200;
const atOnce = (Number(perSecond) * TICK_MS) / 1_000;

/** Sends at once what is due, as far as there is room; what there is none for is dropped. */
type Sender = () => void;

const dial = (): Socket => connect({ port: Number(port), host: "127.0.0.1", noDelay: true });

async function confirming(n: number): Promise<Sender> {
  const client = createSignalClient({ connect: dial, requestTimeout: "60s", maxInFlight: 5 });
  const producer: Producer = await client.createProducer(`topic-${n}`);
  return () => {
    for (let i = 0; i < atOnce; i++) if (producer.pendingMessages < 500) producer.send(PAYLOAD).catch(() => undefined);
  };
}

function raw(n: number): Promise<Sender> {
  const socket = dial();
  const reader = new FrameReader();
  const say = (command: Command): boolean => socket.write(encodeFrame(command));
  let sequenceId = 0;
  const sender = (): void => {
    for (let i = 0; i < atOnce && !socket.writableNeedDrain; i++) {
      sequenceId += 1;
      socket.write(encodeFrame({ type: "send", producerId: 1, sequenceId }, { payload: PAYLOAD, metadata: {} }));
    }
  };
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      for (let frame = reader.next(); frame; frame = reader.next()) {
        const { command } = decodeFrame(frame);
        if (command.type === "producerSuccess") resolve(sender);
        if (command.type === "throttleProducer" && kind === "lying")
          say({ type: "throttleProducerReceipt", requestId: command.requestId });
      }
    });
    say({ type: "connect", clientVersion: "bench", featureFlags: { supportsThrottleProducerCommands: true } });
    say({ type: "createProducer", requestId: 1, producerId: 1, topic: `topic-${n}`, producerName: `producer-${n}` });
  });
}

const senders: Sender[] = [];
for (let n = 0; n < Number(connections); n += 50) {
  const some = Array.from({ length: Math.min(50, Number(connections) - n) }, (_, i) => n + i);
  senders.push(...(await Promise.all(some.map(kind === "confirming" ? confirming : raw))));
}
process.stdout.write("ready\n");
// Spread over the tick, so that they do not all send at once.
for (const [n, sender] of senders.entries())
  setTimeout(() => setInterval(sender, TICK_MS), (n / senders.length) * TICK_MS);
process.stdin.resume().on("end", () => process.exit());
