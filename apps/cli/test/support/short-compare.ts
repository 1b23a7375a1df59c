/**
 * Compares the three ways to send a load for three seconds each, and prints the rows: `node short-compare.ts <folder>`.
 */
import { fileURLToPath } from "node:url";
import { compare } from "../../src/demo/compare.ts";
import { writeInput } from "../../src/demo/input.ts";
import { measure } from "../../src/demo/measure/result.ts";
import { type Load, runLoad } from "../../src/demo/run-load.ts";

const scratch = process.argv[2] as string;
const { file: input } = await writeInput(scratch);
const store = { kind: "sqlite", path: `${scratch}/ledger.db` } as const;
const load: Load = {
  max: 50,
  workers: 2,
  seconds: 3,
  release: "even",
  gate: { type: "shared", store, group: "short", max: 48 },
  input,
  scratch,
  entry: fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
};
const { signal } = new AbortController();
const record = await runLoad(load, {}, signal);
const settings = { store: "sqlite", max: 50, headroom: 2, release: "even", workers: 2, seconds: 3 } as const;
const rows = await compare(load, measure(settings, record), () => ({ observer: {}, done: () => undefined }), signal);
process.stdout.write(JSON.stringify(rows));
