import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, onTestFinished, test } from "vitest";

const main = join(import.meta.dirname, "../../src/chaos/main.ts");

/** The command, and what it said so far. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ["--import", loader, main, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code, ...said }));
  return { child, said, ended };
}

test("--help tells of every option and ends well", async () => {
  const { code, stdout } = await start(["--help"]).ended;
  expect(code).toBe(0);
  for (const option of ["--store", "--minutes", "--seed", "--workers", "--logs", "--check", "--json"])
    expect(stdout).toContain(option);
});

test.each([
  [["--store", "oracle"], '--store is "oracle"; give redis, '],
  [["--minutes", "soon"], '--minutes is "soon"; give a number'],
  [["--workers", "1"], '--workers is "1"; give a number from 2 to 16'],
  [["--seed", "1.5"], '--seed is "1.5"; give a whole number'],
  [["--fast"], "Unknown option '--fast'"],
])("%j is refused with the remedy", async (args, message) => {
  const { code, stdout, stderr } = await start(args).ended;
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});

test("the logs of a run can be checked again", async () => {
  const { code, stdout } = await start(["--check", join(import.meta.dirname, "recorded")]).ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ tokens: 2_052, violations: 0 });
});

test("Ctrl-C in the middle of a fault leaves no process, namespace or folder behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dt-chaos-command-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = ["--store", "redis", "--minutes", "1", "--seed", "5", "--workers", "3"];
  const { child, said, ended } = start(args, { TMPDIR: folder });
  await until("a worker is paused", 40_000, () => /worker-pause|worker-kill|server-kill/.test(said.stderr));
  const started = descendants(child.pid as number);
  expect(started.length).toBeGreaterThan(3);
  child.kill("SIGINT");
  const { code } = await ended;
  expect(code).toBe(130);
  expect(said.stderr).toContain("stopped by SIGINT");
  await until("all processes are gone", 10_000, () => started.every((pid) => !isAlive(pid)));
  expect(namespaces().filter((name) => name.startsWith(`dt-chaos-${child.pid}-`))).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

function descendants(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const of = (parent: number): number[] =>
    rows.filter(([, above]) => above === parent).flatMap(([child]) => [child, ...of(child)]);
  return of(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function namespaces(): string[] {
  try {
    return execFileSync("ip", ["netns", "list"], { encoding: "utf8" }).split("\n");
  } catch {
    return []; // Where there is no such command there are no namespaces of ours.
  }
}
