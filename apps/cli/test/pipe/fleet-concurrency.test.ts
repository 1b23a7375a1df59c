import { existsSync } from "node:fs";
import { semaphoreGroup } from "@dt/core/internal";
import { sqliteStore } from "@dt/sqlite";
import { describe, expect, test } from "vitest";
import { dt, startDt } from "../support/cli.ts";
import { numbers, pipeFolder, startTestCallee } from "../support/pipe.ts";
import { run } from "../support/run.ts";

/** A callee that answers after so many milliseconds, and knows the most requests that it had in work. */
async function countingCallee(ms: number) {
  const seen = { now: 0, most: 0 };
  const callee = await startTestCallee((response) => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    setTimeout(() => {
      seen.now -= 1;
      response.end("done");
    }, ms);
  });
  return { ...callee, seen };
}

describe("dt pipe --fleet-concurrency", () => {
  test("of two processes has no more requests in flight than that, and gives the slots back at the end", async () => {
    const { args, path, ids } = pipeFolder(120);
    const { url, seen } = await countingCallee(20);
    const shared = ["--url", url, "--fleet-concurrency", "3", "--store", `sqlite:${path("slots.db")}`, "--name", "ocr"];
    const ended = await Promise.all([1, 2].map((part) => dt(...args, ...shared, "--part", `${part}/2`, "--json")));
    expect(ended.map(({ code, stderr }) => ({ code, stderr: code === 0 ? "" : stderr }))).toEqual(
      Array(2).fill({ code: 0, stderr: "" }),
    );
    expect(JSON.parse(ended[0]?.stdout ?? "")).toMatchObject({ end: "done", total: { success: 60 } });
    expect(ids(".1-of-2", ".2-of-2")).toEqual(numbers(0, 120));
    expect(seen.most).toBe(3);
    await using store = sqliteStore({ path: path("slots.db") });
    expect(await store.inspect(semaphoreGroup("ocr"))).toMatchObject({ memberCount: 0, held: 0 });
  });

  test("ends in order at SIGTERM: requests in flight end, and its slots are free at once", async () => {
    const { args, path, lines } = pipeFolder(500);
    const { url, seen } = await countingCallee(50);
    const pipe = startDt([
      ...args,
      ...["--url", url, "--fleet-concurrency", "4", "--store", `sqlite:${path("slots.db")}`, "--name", "ocr"],
    ]);
    await expect.poll(() => lines("ok.jsonl").length).toBeGreaterThan(8);
    pipe.kill("SIGTERM");
    expect(await pipe.finished).toMatchObject({ code: 143 });
    expect([seen.now, seen.most]).toEqual([0, 4]);
    await using store = sqliteStore({ path: path("slots.db") });
    expect(await store.inspect(semaphoreGroup("ocr"))).toMatchObject({ memberCount: 0, held: 0 });
  });

  test("goes with a rate", async () => {
    const { args, path } = pipeFolder(20);
    const { url, seen } = await countingCallee(5);
    const limits = ["--rate", "200/s", "--fleet-concurrency", "2", "--store", `sqlite:${path("limits.db")}`];
    const { code } = await dt(...args, "--url", url, ...limits);
    expect([code, seen.most <= 2]).toEqual([0, true]);
  });

  test.each([
    [["--fleet-concurrency", "5"], "processes share --fleet-concurrency through a --store; for one process give"],
    [["--fleet-concurrency", "0"], "Give a whole number from 1 to 10000."],
    [["--store", "sqlite:slots.db"], "give the limit with --rate or --fleet-concurrency"],
  ])("%j is refused, and nothing is sent", async (flags, message) => {
    const { args, path } = pipeFolder(1);
    const { code, stderr } = await run(...args, "--url", "http://127.0.0.1:1/", ...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(path("ok.jsonl"))).toBe(false);
  });

  test("--help explains it", async () => {
    const { stdout } = await run("pipe", "--help");
    expect(stdout).toContain("--fleet-concurrency <n>");
    expect(stdout.replace(/\s+/g, " ")).toContain("(default: 16, or as --fleet-concurrency)");
  });
});
