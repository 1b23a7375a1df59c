import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { afterAll, expect, it } from "vitest";

const page = readFileSync(new URL("../../../docs/start.md", import.meta.url), "utf8");
const [, program = ""] = /<!-- example: sqlite\/start\.mjs -->\n```js\n(.*?)```/s.exec(page) ?? [];
const folder = mkdtempSync(join(tmpdir(), "dt-start-"));
const script = join(folder, "pay.mjs");
writeFileSync(script, program);
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Terminal {
  readonly lines: string[];
  /** Its exit code, and what it printed as errors. */
  readonly ended: Promise<readonly [number, string]>;
}

/** Runs the program of the page, as a reader does in a terminal. */
function terminal(): Terminal {
  const args = ["--no-warnings", "--import", loader, script];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { lines, ended: once(child, "close").then(([code]) => [code as number, errors]) };
}

/** The mean of the calls in the seconds in which a terminal knew of so many processes. */
function callsWith(processes: number, { lines }: Terminal): number {
  const seconds = lines.flatMap((line) => {
    const [, calls, known] = /^calls in this second: (\d+), processes: (\d+)$/.exec(line) ?? [];
    return Number(known) === processes ? [Number(calls)] : [];
  });
  return seconds.reduce((sum, calls) => sum + calls, 0) / seconds.length;
}

it("the program on the page, in two terminals: ten calls a second alone, five each together, ten again at the end", {
  timeout: 120_000,
}, async () => {
  const first = terminal();
  await until("three seconds alone", 30_000, () => first.lines.length >= 3);
  const second = terminal();
  expect(await first.ended).toEqual([0, ""]);
  expect(await second.ended).toEqual([0, ""]);
  for (const { lines } of [first, second]) expect(lines.at(-1)).toBe("done");
  expect(callsWith(1, first)).toBeGreaterThan(7);
  for (const one of [first, second]) {
    expect(callsWith(2, one)).toBeGreaterThan(3.5);
    expect(callsWith(2, one)).toBeLessThan(6.5);
  }
  expect(callsWith(1, second)).toBeGreaterThan(7);
});
