import { readFileSync } from "node:fs";
import { createThrottle, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { throttleFromNumaflow, throttleOptionsOf } from "../src/index.ts";
import { withLimit } from "./support/spec.ts";

/**
 * Throttles of specs, in virtual time, beside the tables of Numaflow's own design: the pool and what is used of it, a
 * row a second.
 */

interface Row {
  readonly pool: number | undefined;
  readonly used: number | undefined;
}

const page = readFileSync(new URL("../../core/test/modes/numaflow-tables.md", import.meta.url), "utf8");

/** The table of a section of the page. */
function tableOf(title: string): readonly Row[] {
  const [, section = ""] = page.split(`\n## ${title}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => /^\|\s*[\d.]/.test(line));
  return lines.map((line) => {
    const cells = line.split("|").slice(1, -1);
    const [pool, used] = cells.slice(-2).map((cell) => (cell.trim() === "" ? undefined : Number(cell)));
    return { pool, used };
  });
}

/** The limit of the design's tables: 10 to 110 in 10 s. */
const RAMP = { max: 110, min: 10, rampUpDuration: "10s" };
const threshold = { thresholdPercentage: 100 };

describe("a throttle of a spec goes through the tables of Numaflow's design", () => {
  it.each([
    ["SCHEDULED", { scheduled: {} }, 20],
    ["SCHEDULED with gaps", { scheduled: {} }, 24],
    ["RELAXED", { relaxed: {} }, 20],
    ["RELAXED with gaps", {}, 24],
    ["ONLY_IF_USED", { onlyIfUsed: threshold }, 20],
    ["GO_BACK_N", { goBackN: threshold }, 20],
    ["GO_BACK_N with gaps", { goBackN: { ...threshold, coolDownPeriod: "1s", rampDownPercentage: 100 } }, 26],
  ])("%s: %j", async (title, modes, length) => {
    const table = tableOf(title);
    expect(table).toHaveLength(length);
    const runtime = new VirtualRuntime();
    const { throttle, close } = await throttleFromNumaflow(withLimit({ ...RAMP, modes }), "v", {
      throttle: { runtime },
    });
    await throttle.start();
    await runtime.advance(1_000);
    const seen: Row[] = [];
    for (const { pool, used } of table) {
      const { level } = throttle.status();
      const granted = used === undefined ? undefined : throttle.tryAcquireUpTo(used);
      seen.push({ pool: pool === undefined ? undefined : level, used: granted });
      await runtime.advance(1_000);
    }
    expect(seen).toEqual(table);
    await close();
  });
});

/** The levels of a throttle that uses this much in each second; undefined is a second without a call. */
async function levelsOf(rateLimit: object, use: readonly (number | undefined)[]): Promise<number[]> {
  const runtime = new VirtualRuntime();
  const { throttle, close } = await throttleFromNumaflow(withLimit(rateLimit), "v", { throttle: { runtime } });
  await throttle.start();
  await runtime.advance(1_000);
  const levels: number[] = [];
  for (const used of use) {
    levels.push(throttle.status().level);
    if (used !== undefined) throttle.tryAcquireUpTo(used);
    await runtime.advance(1_000);
  }
  await close();
  return levels;
}

describe("with Numaflow's defaults", () => {
  it("onlyIfUsed goes up from half of the pool on", async () => {
    expect(await levelsOf({ ...RAMP, modes: { onlyIfUsed: {} } }, [4, 5, 9, 10, 1])).toEqual([10, 10, 20, 20, 30]);
  });

  it("goBackN goes down where less than half is used, and half a step for each second beyond 5 s", async () => {
    const modes = { goBackN: {} };
    expect(await levelsOf({ ...RAMP, modes }, [10, 20, 30, 1, 30])).toEqual([10, 20, 30, 40, 30]);
    const idle = Array<undefined>(6).fill(undefined);
    const levels = await levelsOf({ ...RAMP, modes }, [10, 20, 30, 40, 50, 60, 70, 80, ...idle, 1]);
    // One step up for the 80 that were used, and six missed seconds at half a step each.
    expect([levels[7], levels[14]]).toEqual([80, 60]);
  });

  it("a ramp takes a second, from 1 on", async () => {
    expect(await levelsOf({ max: 50 }, [1, 1, 1])).toEqual([1, 50, 50]);
  });

  it("a ramp of no time is none", async () => {
    expect(await levelsOf({ max: 50, rampUpDuration: "0s" }, [1, 1])).toEqual([50, 50]);
  });
});

it("grants as many reads a second as the spec of a source has", async () => {
  const runtime = new VirtualRuntime();
  const source = { udf: undefined, source: {}, limits: { readBatchSize: 50, rateLimit: { max: 200, min: 200 } } };
  const spec = withLimit({ max: 1 }, { vertex: {} });
  Object.assign(spec, { spec: { vertices: [{ name: "v", ...source }] } });
  const limit = await throttleFromNumaflow(spec, undefined, { throttle: { runtime } });
  expect(limit.messagesPerToken).toBe(50);
  await limit.throttle.start();
  await runtime.advance(1_000);
  for (let second = 0; second < 5; second++) {
    expect(limit.throttle.tryAcquireUpTo(1_000) * limit.messagesPerToken).toBe(200);
    await runtime.advance(1_000);
  }
  await limit.close();
});

describe("resumedRampUp", () => {
  /** The level of a member that stops at 60, and comes back after so long. */
  async function levelAfter(pauseMs: number, fields: object): Promise<number> {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const options = throttleOptionsOf(withLimit({ ...RAMP, ...fields }));
    const start = async () => {
      const throttle = createThrottle({ ...options, store, runtime, memberId: "v-0" });
      await throttle.start();
      await runtime.advance(1_000);
      return throttle;
    };
    const before = await start();
    for (let second = 0; second < 5; second++) {
      before.tryAcquire();
      await runtime.advance(1_000);
    }
    expect(before.tryAcquireUpTo(100)).toBe(60);
    await before.stop();
    await runtime.advance(pauseMs);
    const after = await start();
    const { level } = after.status();
    await after.stop();
    await store.close();
    return level;
  }

  it("true: the ramp goes on where it was, within ttl", async () => {
    expect(await levelAfter(20_000, { resumedRampUp: true })).toBe(60);
    expect(await levelAfter(170_000, { resumedRampUp: true })).toBe(60);
    expect(await levelAfter(200_000, { resumedRampUp: true })).toBe(10);
    expect(await levelAfter(20_000, { resumedRampUp: true, ttl: "10s" })).toBe(10);
  });

  it("false: it begins at min", async () => {
    expect(await levelAfter(1_000, {})).toBe(10);
    expect(await levelAfter(1_000, { ttl: "1h" })).toBe(10);
  });
});
