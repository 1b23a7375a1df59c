/**
 * A run over the numbers below `records` with a checkpoint and a JSONL file: says `called <n>` for every call.
 * `node crashing-run.ts <folder> <records> <window>`
 */
import { join } from "node:path";
import { jsonlFile, openCheckpoint, throttled } from "../../src/index.ts";

const [folder = "", records = "0", window = "0"] = process.argv.slice(2);
const checkpoint = await openCheckpoint({
  path: join(folder, "run.checkpoint"),
  input: "numbers",
  window: Number(window),
});
// The first is slow: everything else goes on behind it.
const slow = new Promise((resolve) => setTimeout(resolve, 2_000));
const pipeline = throttled(
  checkpoint.resume(Array.from({ length: Number(records) }, (_, n) => n)),
  async (n) => {
    if (n === 0) await slow;
    else await new Promise((resolve) => setImmediate(resolve));
    process.stdout.write(`called ${n}\n`);
    return n;
  },
  { rejection: false, concurrency: 8, checkpoint, success: jsonlFile({ path: join(folder, "ok.jsonl") }) },
);
await pipeline.run();
