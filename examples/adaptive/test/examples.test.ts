import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loader } from "@dt-tooling/backends/source-process";
import { afterEach, describe, expect, it } from "vitest";

const ends: (() => unknown)[] = [];

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

/** Starts an example as a process of its own. */
function start(name: string, ...args: string[]): ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> } {
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill("SIGKILL"));
  return child;
}

/** The lines that it prints until it ends, each as JSON. */
async function linesOf(child: ReturnType<typeof start>): Promise<Record<string, number>[]> {
  const lines: Record<string, number>[] = [];
  for await (const line of createInterface(child.stdout)) lines.push(JSON.parse(line));
  return lines;
}

/** What it printed last, as JSON. */
function watched(child: ReturnType<typeof start>): { last: Record<string, number> } {
  const seen: { last: Record<string, number> } = { last: {} };
  createInterface(child.stdout).on("line", (line) => {
    seen.last = JSON.parse(line);
  });
  return seen;
}

/** The server that sheds; resolves to its address. */
async function sheddingServer(): Promise<{ url: string; child: ReturnType<typeof start> }> {
  const child = start("server-that-sheds");
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { url, child };
}

/**
 * How many of these requests are answered with 200 when all come at the same moment, however slow this machine is to
 * make connections.
 */
async function answeredOf(count: number, url: string): Promise<number> {
  const connections = 20;
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const request = `GET / HTTP/1.1\r\nhost: ${hostname}\r\n`;
  const requests = [...Array(count / connections - 1).fill(request), `${request}connection: close\r\n`];
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(requests.map((head) => `${head}\r\n`).join(""));
      return text(socket);
    }),
  );
  const statuses = answers.flatMap((answer) => answer.match(/^HTTP\/1\.1 \d+/gm) ?? []);
  expect(statuses).toHaveLength(count);
  return statuses.filter((status) => status.endsWith(" 200")).length;
}

describe("a server that sheds", () => {
  it("answers what it can do in time, refuses the rest at once, and says how long each call waited", async () => {
    const { url } = await sheddingServer();
    const answers = await Promise.all(Array.from({ length: 400 }, () => fetch(url)));
    for (const { status, headers } of answers) {
      if (status === 200) expect(headers.get("server-timing")).toMatch(/^queue;dur=\d+\.\d$/);
      else expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    }
    // Eight at once for 20 ms each, and 100 ms of waiting: far fewer than 400.
    const served = await answeredOf(400, url);
    expect(served).toBeGreaterThanOrEqual(8);
    expect(served).toBeLessThan(200);
  });

  it("serves the important ones before the others", async () => {
    const { url } = await sheddingServer();
    const others = Array.from({ length: 300 }, () => fetch(url));
    const important = Array.from({ length: 10 }, () => fetch(url, { headers: { "x-important": "yes" } }));
    const statuses = (await Promise.all(important)).map(({ status }) => status);
    expect(statuses).toEqual(important.map(() => 200));
    await Promise.all(others);
  });

  it("ends in order at SIGTERM", async () => {
    const { url, child } = await sheddingServer();
    expect(await (await fetch(url, { headers: { connection: "close" } })).text()).toBe("done\n");
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});

describe("fetch with a limit", () => {
  it("gets most of 500 answers from a server that refuses most of them without one", async () => {
    const { url } = await sheddingServer();
    expect(await answeredOf(500, url)).toBeLessThan(250);
    const [result] = await linesOf(start("fetch-with-a-limit", url, "500"));
    expect(result?.["ok"]).toBeGreaterThan(250);
  });
});

describe("a fleet that finds a limit", () => {
  it("of three processes with a max of 1,000 a second stays near the 60 that the service takes and nobody wrote down", async () => {
    const capacity = 60;
    let tokens = capacity;
    let filledMs = performance.now();
    let sent = 0;
    let taken = 0;
    const server = createServer((_, response) => {
      const nowMs = performance.now();
      tokens = Math.min(capacity, tokens + ((nowMs - filledMs) / 1_000) * capacity);
      filledMs = nowMs;
      sent += 1;
      const takes = tokens >= 1;
      if (takes) {
        tokens -= 1;
        taken += 1;
      }
      response.writeHead(takes ? 200 : 429).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const folder = mkdtempSync(join(tmpdir(), "dt-fleet-"));
    ends.push(() => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fleet = [1, 2, 3].map(() =>
      watched(start("fleet-that-finds-a-limit", url, join(folder, "limits.db"), "300")),
    );
    // A busy machine may take long to start them all.
    while (fleet.some(({ last }) => last["members"] !== 3)) await seconds(0.1);
    // Five seconds to find the limit, and eight in which it is watched.
    await seconds(5);
    const before = { sent, taken, atMs: performance.now(), of: fleet.map(({ last }) => last["sent"] as number) };
    await seconds(8);
    const passed = (performance.now() - before.atMs) / 1_000;
    const rates = { sent: (sent - before.sent) / passed, taken: (taken - before.taken) / passed };
    expect(rates.sent).toBeLessThanOrEqual(1.3 * capacity);
    expect(rates.taken).toBeGreaterThanOrEqual(0.8 * capacity);
    for (const [i, process] of fleet.entries())
      await expect.poll(() => process.last["sent"]).toBeGreaterThan(before.of[i] as number);
  });
});

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}
