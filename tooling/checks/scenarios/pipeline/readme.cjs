const assert = require("node:assert/strict");
const { mkdtempSync, readFileSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { jsonlFile, openCheckpoint, throttled } = require("@dt/pipeline");

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "dt-pipeline-"));
  const [path, ok, later] = ["run.checkpoint", "ok.jsonl", "later.jsonl"].map((name) => join(folder, name));
  const source = Array.from({ length: 20 }, (_, n) => n);

  // The first run ends after ten records, the second goes on from there.
  const calls = [];
  for (const until of [10, 20]) {
    const checkpoint = await openCheckpoint({ path, input: "numbers" });
    const records = checkpoint.resume(source.slice(0, until));
    const call = async (n) => {
      calls.push(n);
      return n === 7 ? new Response(null, { status: 429 }) : n * 2;
    };
    const outputs = { success: jsonlFile({ path: ok }), throttled: jsonlFile({ path: later }) };
    const status = await throttled(records, call, { ...outputs, checkpoint, concurrency: 1 }).run();
    assert.equal(status.state, "done");
  }
  assert.deepEqual(calls, source);
  assert.equal(readFileSync(ok, "utf8").split("\n").length, 20);
  assert.equal(readFileSync(later, "utf8"), '{"input":7,"error":"Server returned HTTP response code: 429"}\n');
  rmSync(folder, { recursive: true });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
