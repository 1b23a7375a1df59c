import { createReadStream, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { jsonlFile, throttled } from "@dt/pipeline";

// Stands for the dead letters of an earlier run.
writeFileSync("dead-letters.jsonl", '{"input":{"id":9},"error":"429"}\n{"input":{"id":19},"error":"429"}\n');

async function* inputsOf(path) {
  for await (const line of createInterface({ input: createReadStream(path) })) yield JSON.parse(line).input;
}

const send = async (order) => ({ sent: order.id });
const pipeline = throttled(inputsOf("dead-letters.jsonl"), send, {
  success: (ending) => console.log(ending.output),
  throttled: jsonlFile({ path: "dead-again.jsonl" }), // another file: the first one is being read
});
console.log((await pipeline.run()).success);
