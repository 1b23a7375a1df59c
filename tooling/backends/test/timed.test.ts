import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { timed } from "../src/index.ts";

describe("the time that a promise takes", () => {
  it("comes with its value or its error", async () => {
    expect(await timed(Promise.resolve(1))).toEqual({ value: 1, ms: expect.any(Number) });
    expect(await timed(Promise.reject(new Error("no")))).toEqual({ error: new Error("no"), ms: expect.any(Number) });
  });

  it("counts waiting", async () => {
    // A busy machine lets the process run less often, and then both count less.
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    const { ms } = await timed(sleep(300));
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(0);
    expect(ms).toBeGreaterThan(2.5 * ticks);
  });

  it("counts what the process computes, while its loop is blocked", async () => {
    const work = async (): Promise<void> => {
      await sleep(1);
      const { user } = process.cpuUsage();
      while (process.cpuUsage().user - user < 300_000);
    };
    expect((await timed(work())).ms).toBeGreaterThan(280);
  });

  it("leaves out what the process had to stand still", async () => {
    const startMs = performance.now();
    const { ms } = await timed(
      (async () => {
        const stopper = spawn("sh", ["-c", `kill -STOP ${process.pid}; sleep 1; kill -CONT ${process.pid}`]);
        await once(stopper, "exit");
      })(),
    );
    const wholeMs = performance.now() - startMs;
    expect(wholeMs).toBeGreaterThan(990);
    expect(wholeMs - ms).toBeGreaterThan(800);
  });
});
