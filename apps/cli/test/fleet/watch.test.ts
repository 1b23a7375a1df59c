import { join } from "node:path";
import { PassThrough } from "node:stream";
import { DtError } from "@dt/core";
import { redisStore } from "@dt/redis";
import { sqliteStore } from "@dt/sqlite";
import { startRedis, until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FleetReport } from "../../src/fleet/report.ts";
import { watch } from "../../src/fleet/watch.ts";
import { type Running, startDt } from "../support/cli.ts";
import { scratchFolder } from "../support/scratch.ts";

/** The reports that were printed so far. */
const reportsOf = (running: Running): FleetReport[] =>
  running.stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("dt status --watch, as a program", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("prints a line of JSON each time, and ends by %s with %d", async (signal, expected) => {
    const path = join(scratchFolder(), "ledger.db");
    await using store = sqliteStore({ path });
    await store.register("payments", newcomer({ id: "web-1", staleAfterMs: 60_000 }));
    const running = startDt(["status", `sqlite:${path}`, "--watch", "1", "--json"]);
    await until("the report", 30_000, () => reportsOf(running).length >= 2);
    await store.register("mail", newcomer());
    await until("the report", 30_000, () => reportsOf(running).at(-1)?.limiters.length === 2);
    running.kill(signal);
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([expected, ""]);
  });

  test("survives a store that goes away, and goes on when it is back", async () => {
    const server = await startRedis({ control: true });
    onTestFinished(() => server.stop());
    await using store = redisStore({ url: server.url });
    await store.register("payments", newcomer({ id: "web-1", staleAfterMs: 3_600_000 }));
    const running = startDt(["status", server.url, "--watch", "1", "--json"]);
    onTestFinished(() => void running.process.kill("SIGKILL"));
    await until("the report", 30_000, () => reportsOf(running).length >= 1);
    await server.kill();
    await until("the report", 30_000, () => running.stderr.includes("the store cannot be read: "));
    const before = reportsOf(running).length;
    await server.restart({ keepData: true });
    await until("the report", 30_000, () => reportsOf(running).length > before);
    expect(reportsOf(running).at(-1)?.limiters).toMatchObject([{ name: "payments" }]);
    running.kill("SIGTERM");
    expect((await running.finished).code).toBe(143);
  });
});

test("an interruption is the reason of what fails while a report is read", async () => {
  const controller = new AbortController();
  const read = async (): Promise<FleetReport> => {
    controller.abort(new Error("interrupted"));
    throw new DtError("DT_STORE_UNAVAILABLE", "no answer");
  };
  const watching = watch({ read, textOf: () => "", isLines: true }, 1, controller.signal);
  await expect(watching).rejects.toThrow("interrupted");
});

describe("on a terminal", () => {
  test("draws over what was there, cut to its size, and keeps the last report while the store is away", async () => {
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 30, rows: 8 });
    let written = "";
    screen.on("data", (text: Buffer) => {
      written += text.toString();
    });
    vi.stubEnv("TERM", "xterm");
    onTestFinished(() => void vi.unstubAllEnvs());
    const controller = new AbortController();
    const answers = [
      async () => ({ atMs: Date.now() }) as FleetReport,
      async () => Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "no answer")),
      async () => {
        controller.abort(new Error("stopped"));
        throw controller.signal.reason;
      },
    ];
    const lines = [`\u001b[2Ja name ${"x".repeat(100)}`, ...Array.from({ length: 20 }, (_, i) => `row ${i}`)];
    const read = () => (answers.shift() as () => Promise<FleetReport>)();
    const watching = watch(
      { read, textOf: () => `${lines.join("\n")}\n`, isLines: false },
      1,
      controller.signal,
      screen as unknown as NodeJS.WriteStream,
    );
    await expect(watching).rejects.toThrow("stopped");
    expect(written).toContain("\\u001b[2Ja name");
    expect(written).not.toContain("x".repeat(30));
    expect(written).toContain("row 4\n");
    expect(written).toContain("... 15 more lines");
    expect(written).not.toContain("row 6");
    expect(written).toContain("the store cannot be read: no ");
    expect(written).toMatch(/The report of [\d.]+ m?s ago:/);
  });
});
