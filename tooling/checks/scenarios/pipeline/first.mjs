import { jsonlFile, throttled } from "@dt/pipeline";

const orders = Array.from({ length: 200 }, (_, id) => ({ id })); // any iterable, async iterable or stream

// Stands for a request to a service that refuses every tenth one.
const request = async ({ id }) => new Response('"done"', { status: id % 10 === 9 ? 429 : 200 });

const send = async (order) => {
  const response = await request(order);
  return response.ok ? response.json() : response; // a response that is no success ends as throttled, or as error
};

const pipeline = throttled(orders, send, {
  success: jsonlFile({ path: "done.jsonl" }),
  throttled: jsonlFile({ path: "to-send-later.jsonl" }), // {"input":{"id":9},"error":"Server returned ... code: 429"}
  error: jsonlFile({ path: "failed.jsonl" }),
});
const { success, throttledByCallee, throttledByClient, error } = await pipeline.run();
console.log({ success, throttledByCallee, throttledByClient, error });
