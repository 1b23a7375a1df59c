import { jsonlFile, throttled } from "@dt/pipeline";

// Any iterable, async iterable or stream.
const orders = Array.from({ length: 200 }, (_, id) => ({ id }));

// Stands for a request to a service that refuses every tenth one.
const request = async ({ id }) => {
  return new Response('"done"', { status: id % 10 === 9 ? 429 : 200 });
};

// A response that is no success ends as throttled, or as error.
const send = async (order) => {
  const response = await request(order);
  return response.ok ? response.json() : response;
};

const pipeline = throttled(orders, send, {
  success: jsonlFile({ path: "done.jsonl" }),
  throttled: jsonlFile({ path: "to-send-later.jsonl" }),
  error: jsonlFile({ path: "failed.jsonl" }),
});
const { success, throttledByCallee, error } = await pipeline.run();
console.log({ success, throttledByCallee, error });
