import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";
import { until } from "@dt-tooling/backends";
import { expect, onTestFinished, test } from "vitest";
import { dt, type Running, startDt } from "../support/cli.ts";
import { run } from "../support/run.ts";
import { scratchFolder } from "../support/scratch.ts";
import { ask } from "./support/page.ts";

async function scratchStore(): Promise<string> {
  const path = join(scratchFolder(), "limits.db");
  await using store = sqliteStore({ path });
  await using throttle = createThrottle({ name: "mail", rate: "5/s", store });
  await throttle.start();
  return `sqlite:${path}`;
}

/** `dt console` with these arguments, when it serves. */
async function started(...args: string[]): Promise<{ running: Running; port: number; url: string; line: object }> {
  const running = startDt(["console", ...args, "--json"]);
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running.finished;
  });
  const line = await until("it serves", 20_000, () => {
    if (running.process.exitCode !== null) throw new Error(running.stderr);
    return running.stdout.endsWith("\n") && JSON.parse(running.stdout);
  });
  return { running, line, port: line.port, url: line.url };
}

/** A port that is taken until the test ends. */
async function takePort(port: number): Promise<number> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  // Another program may have it: it is taken all the same.
  await Promise.race([once(server, "listening"), once(server, "error")]).catch(() => {});
  const taken = server.listening ? (server.address() as { port: number }).port : port;
  onTestFinished(() => void server.close());
  return taken;
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("prints the address as JSON, serves the page, and ends on %s with open streams", async (signal, code) => {
  const address = await scratchStore();
  const { running, url, port, line } = await started(address, "--port", "0");
  expect(line).toEqual({ url: expect.any(String), port, store: address, writes: false, periodMs: 1_000 });
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\?token=[\\w-]{43}$`));
  const page = await ask({ port }, `/${new URL(url).search}`);
  expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
  const named = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(1);
  for (const name of named) expect((await ask({ port }, `/${name}`)).status).toBe(200);
  // What a strict policy forbids is not in the page.
  expect(page.body).not.toMatch(/<style|<script>|\son\w+=|style=/);
  const stream = await fetch(`http://127.0.0.1:${port}/api/events${new URL(url).search}`);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  running.kill(signal);
  const { code: ended, stderr } = await running.finished;
  expect({ ended, stderr }).toEqual({ ended: code, stderr: "" });
  await expect(stream.text().then((text) => text.includes("event: hello"))).resolves.toBe(true);
});

test("takes the next port where its usual one is taken", async () => {
  await takePort(7_373);
  const { port } = await started(await scratchStore());
  expect(port).toBeGreaterThan(7_373);
});

test("does not take another port than the one that was asked for", async () => {
  const port = await takePort(0);
  const { code, stderr } = await dt("console", await scratchStore(), "--port", String(port));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: port ${port} is taken by another program; give another one, or leave --port out for one that is free\n`,
  });
});

test("prints the address for people, and what the page can do", async () => {
  const running = startDt(["console", await scratchStore(), "--port", "0", "--write"]);
  try {
    await until("it serves", 20_000, () => running.stdout.includes("Ctrl-C"));
    expect(running.stdout).toMatch(
      /\n {2}http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n\nIt can change stored limits\./,
    );
  } finally {
    running.kill("SIGINT");
    await running.finished;
  }
});

test.each<[string, string[], number, RegExp]>([
  ["a store that is not there", ["sqlite:/no/such/file.db"], 1, /could not be read: there is no file/],
  ["no store", [], 2, /missing required argument 'store'/],
  ["a port that is none", ["sqlite:a.db", "--port", "70000"], 2, /whole number from 0 to 65535/],
  ["a period that is too short", ["sqlite:a.db", "--period", "1ms"], 2, /a time from 200ms to 60000ms/],
])("refuses %s", async (_, args, code, message) => {
  const refused = await run("console", ...args);
  expect(refused).toMatchObject({ code, stderr: expect.stringMatching(message) });
});

test("a store that cannot be reached is refused without its password", async () => {
  const { code, stdout, stderr } = await run("console", "redis://ann:hunter2@127.0.0.1:9/0", "--port", "0");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^error: redis:\/\/127\.0\.0\.1:9\/0: it could not be read: /);
  expect(stderr).not.toContain("hunter2");
});
