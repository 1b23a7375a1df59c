import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignalClient } from "@dt/signal";
import { Broker } from "@dt-apps/broker";
import type { Accuracy } from "./figures.ts";

/** One topic with a quota, and a client that always has more to send. */
export async function accuracy(quota: number, seconds: number): Promise<Accuracy> {
  const broker = await Broker.listen({
    topicQuota: () => ({ rate: quota }),
    keepMessages: Number.MAX_SAFE_INTEGER,
  });
  const client = createSignalClient({
    connect: () => connect({ port: broker.port, host: "127.0.0.1" }),
  });
  const producer = await client.createProducer("topic");
  const confirmed: number[] = [];
  let [sending, next] = [true, 0];
  const work = async (): Promise<void> => {
    while (sending) {
      const number = next++;
      const { messageId } = await producer.send(String(number));
      confirmed.push(messageId as number);
      if (messageId !== number) throw new Error(`message ${number} was kept as ${messageId}`);
    }
  };
  const working = Array.from({ length: 1_000 }, work);
  // After the first second, and half-way between two of the server's second marks: messages come in at these, and a
  // timer that is late must not count one more.
  const firstMs = Math.ceil(performance.now() / 1_000) * 1_000 + 1_500;
  await sleep(firstMs - performance.now());
  // What comes while this process stands still between the two has had its time.
  const before = { atMs: performance.now(), count: broker.messages("topic") };
  await sleep(firstMs + seconds * 1_000 - performance.now());
  const after = { count: broker.messages("topic"), atMs: performance.now() };
  sending = false;
  await Promise.all(working);
  const consumer = await client.subscribe("topic", { from: 0, receiveQueue: 1_000 });
  let outOfOrder = 0;
  for (let n = 0; n < next; n++) {
    const { messageId, payload } = await consumer.receive();
    if (messageId !== n || Buffer.from(payload).toString() !== String(n)) outOfOrder += 1;
  }
  const signals = broker.server.metrics().signals.sent;
  await client.close();
  await broker.close();
  const accepted = after.count - before.count;
  // Timers are late by some milliseconds: the quota's part is that of the time which really passed.
  const expected = ((after.atMs - before.atMs) / 1_000) * quota;
  return {
    quota,
    seconds,
    accepted,
    expected,
    errorPercent: (Math.abs(accepted - expected) / expected) * 100,
    lost: next - confirmed.length,
    outOfOrder,
    signals,
  };
}
