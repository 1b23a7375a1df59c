/**
 * `npm run -s pipe-proof`: 100,000 records through four processes of `dt pipe`, one of them killed and begun again.
 * `--small` is what `npm test` runs, `--json` prints the result as JSON, with the memory of each process over time.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRedis } from "@dt-tooling/backends";
import { textOf } from "./report.ts";
import { type DtProcess, faultsOf, prove } from "./run.ts";
import { FULL, SMALL } from "./settings.ts";

const KNOWN = ["--small", "--json"];

const args = process.argv.slice(2);
const unknown = args.find((arg) => !KNOWN.includes(arg));
if (unknown !== undefined) {
  process.stderr.write(`${unknown} is unknown; there are ${KNOWN.join(", ")}\n`);
  process.exit(2);
}
const redis = await startRedis();
const folder = mkdtempSync(join(tmpdir(), "dt-pipe-proof-"));
try {
  const result = await prove(args.includes("--small") ? SMALL : FULL, folder, redis.url, startBuilt);
  process.stdout.write(args.includes("--json") ? `${JSON.stringify(result)}\n` : textOf(result));
  process.exitCode = faultsOf(result).length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  await redis.stop();
}

/** Runs `dt` as it is published. */
function startBuilt(words: readonly string[]): DtProcess {
  const file = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
  const child = spawn(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  return {
    pid: child.pid ?? 0,
    get stdout() {
      return said.stdout;
    },
    finished: new Promise((done) => child.on("close", (code) => done({ code, ...said }))),
    kill: (signal) => child.kill(signal),
  };
}
