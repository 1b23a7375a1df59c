const { connect, createServer } = require("node:net");
const { createSignalClient, createSignalServer } = require("@dt/signal");

async function main() {
  // The server: what to do with a message, and how much of a topic it takes.
  const kept = [];
  const server = createSignalServer({
    topicQuota: (topic) => (topic === "reports" ? { rate: "20/s" } : {}),
    handler: { publish: ({ payload }) => kept.push(payload) },
  });
  const tcp = createServer((socket) => void server.attach(socket));
  await new Promise((resolve) => tcp.listen(0, "127.0.0.1", resolve));

  // The client: one connection, any number of producers.
  const client = createSignalClient({ connect: () => connect(tcp.address().port) });
  const [reports, orders] = [await client.createProducer("reports"), await client.createProducer("orders")];
  client.on("throttled", ({ topic, reason, ms }) => console.log(`${topic}: ${reason}, ${ms} ms`));

  const all = Array.from({ length: 30 }, (_, n) => reports.send(`report ${n}`));
  await orders.send("order"); // does not wait for the reports
  await Promise.all(all); // the last ones went out after the next second mark
  console.log(reports.isThrottled(), kept.length, server.metrics().throttled);

  await client.close();
  await server.close();
  tcp.close();
}

main();
