import { connect } from "node:net";
import { createSignalClient } from "@dt/signal";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { Broker } from "../src/index.ts";

it("as a process: producers send, consumers get everything in order, and a topic above its quota is signalled", async () => {
  const broker = new SourceProcess(new URL("../src/main.ts", import.meta.url), ["--quota", "reports=40"]);
  const port = Number(await broker.said("listening"));
  const [sender, receiver] = [1, 2].map(() => createSignalClient({ connect: () => connect(port, "127.0.0.1") }));
  if (sender === undefined || receiver === undefined) throw new Error("there are two");
  const told: string[] = [];
  sender.on("throttled", ({ topic, reason }) => told.push(`${topic}: ${reason}`));
  const consumer = await receiver.subscribe("reports", { from: 0, receiveQueue: 7 });
  const producer = await sender.createProducer("reports");
  const texts = Array.from({ length: 60 }, (_, n) => `report ${n}`);
  const sent = texts.map((text, n) => producer.send(text, { key: `${n}` }));
  const got: string[] = [];
  for await (const { messageId, payload, key } of consumer) {
    expect([messageId, key]).toEqual([got.length, `${got.length}`]);
    if (got.push(Buffer.from(payload).toString()) === texts.length) break;
  }
  expect(got).toEqual(texts);
  await Promise.all(sent);
  expect(new Set(told)).toEqual(new Set(["reports: TopicProduceQuotaExceeded"]));
  await sender.close();
  await receiver.close();
  broker.endInput();
  await broker.finished();
});

it("keeps the last messages of a topic; a consumer that asks for older ones begins with the oldest that there is", async () => {
  await using broker = await Broker.listen({ keepMessages: 10 });
  await using client = createSignalClient({ connect: () => connect(broker.port, "127.0.0.1") });
  const producer = await client.createProducer("topic");
  for (let n = 0; n < 25; n++) await producer.send(`${n}`);
  const consumer = await client.subscribe("topic", { from: 0 });
  expect((await consumer.receive()).messageId).toBe(10);
  const fresh = await client.subscribe("topic");
  await producer.send("new");
  expect((await fresh.receive()).messageId).toBe(25);
  await consumer.close();
  await expect(consumer.receive().then(() => consumer.receive())).resolves.toMatchObject({ messageId: 12 });
});

it("has a bound on its topics, and says so", async () => {
  await using broker = await Broker.listen({ maxTopics: 1 });
  await using client = createSignalClient({ connect: () => connect(broker.port, "127.0.0.1") });
  await client.createProducer("one");
  await expect(client.createProducer("two")).rejects.toMatchObject({
    code: "DT_REFUSED",
    message: expect.stringContaining("there are 1 topics"),
  });
  await expect(client.subscribe("two")).rejects.toMatchObject({ code: "DT_REFUSED" });
});
