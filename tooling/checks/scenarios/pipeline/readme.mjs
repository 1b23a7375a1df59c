import { once } from "node:events";
import { createServer } from "node:http";
import { createThrottle, MemoryStore } from "@dt/core";
import { jsonlFile, openCheckpoint, throttled } from "@dt/pipeline";

// Stands for a service that refuses every tenth request.
let requests = 0;
const refuses = () => ++requests % 10 === 0;
const server = createServer((_, response) => response.writeHead(refuses() ? 429 : 200).end('"done"'));
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}`;

// In a fleet: a store that all processes share, such as redisStore({ url }).
const throttle = createThrottle({ name: "orders-api", max: 100, interval: "1s", store: new MemoryStore() });

const orders = Array.from({ length: 200 }, (_, id) => ({ id }));
const checkpoint = await openCheckpoint({ path: "orders.checkpoint", input: "orders of May" });
const pipeline = throttled(
  checkpoint.resume(orders),
  async (order) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(order) });
    const answer = await response.text();
    return response.ok ? answer : response; // a response that is no success ends as throttled, or as error
  },
  {
    throttle,
    checkpoint,
    success: jsonlFile({ path: "ok.jsonl", line: ({ input, output }) => ({ ...input, answer: output }) }),
    throttled: jsonlFile({ path: "later.jsonl" }), // {"input":{"id":9},"error":"Server returned HTTP response code: 429"}
    error: jsonlFile({ path: "errors.jsonl" }),
  },
);
const { success, throttledByClient, throttledByCallee, error } = await pipeline.run();
console.log({ success, throttledByClient, throttledByCallee, error });

await checkpoint.remove(); // All is done: the next run begins with the first order.
await throttle.stop();
server.close();
