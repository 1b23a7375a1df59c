import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loader } from "@dt-tooling/backends/source-process";
import { afterEach, expect, it } from "vitest";

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A service that counts the pages in its work. */
async function service(): Promise<{ url: string; most: () => number; served: () => number; now: () => number }> {
  let inWork = 0;
  let most = 0;
  let served = 0;
  const server = createServer((request, response) => {
    const pages = Number(request.headers["x-pages"] ?? 1);
    inWork += pages;
    most = Math.max(most, inWork);
    setTimeout(() => {
      inWork -= pages;
      served += 1;
      response.end("text");
    }, 40);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, most: () => most, served: () => served, now: () => inWork };
}

/** A file in a folder that goes with the test. */
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "dt-slots-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "slots.db");
}

interface Program {
  readonly child: ChildProcess;
  /** What it printed so far, a line each, parsed. */
  readonly lines: Record<string, unknown>[];
  readonly code: Promise<number | null>;
}

/** Starts an example as a process of its own. */
function start(name: string, ...args: string[]): Program {
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const code = once(child, "close").then(([status]) => status as number | null);
  ends.push(async () => {
    child.kill("SIGKILL");
    await code;
  });
  const lines: Record<string, unknown>[] = [];
  createInterface(child.stdout as NonNullable<typeof child.stdout>).on("line", (line) => lines.push(JSON.parse(line)));
  return { child, lines, code };
}

it("workers share four slots, and one that is sent SIGTERM leaves in order", { timeout: 60_000 }, async () => {
  const { url, most, now } = await service();
  const path = file();
  const workers = [1, 2, 3].map(() => start("worker", url, path));
  // Nine callers want more than four slots: each worker has its part, and all slots are in use.
  await expect.poll(() => workers.every(({ lines }) => lines.length >= 20)).toBe(true);
  const [first, ...others] = workers as [Program, ...Program[]];
  first.child.kill("SIGTERM");
  expect(await first.code).toBe(0);
  expect(first.lines.at(-1)).toEqual({ inOrder: true });
  // Its slots are with the others: they alone reach four.
  await expect.poll(now, { interval: 5 }).toBe(4);
  for (const { child } of others) child.kill("SIGTERM");
  expect(await Promise.all(others.map(({ code }) => code))).toEqual([0, 0]);
  expect(most()).toBe(4);
});

it("batches take a slot for each page", { timeout: 60_000 }, async () => {
  const { url, most, served } = await service();
  const path = file();
  const programs = [1, 2].map(() => start("batches", url, path));
  expect(await Promise.all(programs.map(({ code }) => code))).toEqual([0, 0]);
  expect(served()).toBe(12);
  expect(most()).toBeLessThanOrEqual(4);
});

it("docs/semaphores.md shows the worker as it is", () => {
  const page = readFileSync(new URL("../../../docs/semaphores.md", import.meta.url), "utf8");
  const code = readFileSync(new URL("../src/worker.ts", import.meta.url), "utf8");
  expect(page).toContain(`<!-- example: examples/semaphore/src/worker.ts -->\n\`\`\`ts\n${code}\`\`\`\n`);
});
