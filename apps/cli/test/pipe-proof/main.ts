/**
 * `npm run -s pipe-proof`: 100,000 records through four processes of `dt pipe`, one of them killed and begun again.
 * `--small` is what `npm test` runs, `--json` prints the result, `--save` writes it into docs/pipe-proof.md and draws
 * docs/pipe-memory.svg.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, release, tmpdir, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRedis } from "@dt-tooling/backends";
import { plotOf, rowsOf, textOf } from "./report.ts";
import { type DtProcess, faultsOf, type ProofResult, prove } from "./run.ts";
import { FULL, SMALL } from "./settings.ts";

const PAGE = new URL("../../../../docs/pipe-proof.md", import.meta.url);
const FIGURE = new URL("../../../../docs/pipe-memory.svg", import.meta.url);
const BEGIN = "<!-- proof: begin; written by `npm run -s pipe-proof -- --save` -->";
const END = "<!-- proof: end -->";
const KNOWN = ["--small", "--json", "--save"];

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
  if (args.includes("--save")) save(result);
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

function save(result: ProofResult): void {
  const page = readFileSync(PAGE, "utf8");
  const cpu = cpus()[0]?.model.trim() ?? "unknown processor";
  const machine = `${cpu}, ${availableParallelism()} cores, ${type()} ${release()} ${arch()}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  const rows = rowsOf(result).map(([what, value]) => `| ${what} | ${value} |`);
  const record = [`Measured on ${date}: ${machine}.`, "", "| | |", "|---|---|", ...rows].join("\n");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${record}\n\n${page.slice(end)}`);
  writeFileSync(FIGURE, plotOf(result));
}
