import { describe, expect, it } from "vitest";
import type { KeyLimit } from "../src/index.ts";
import { fleet } from "./support/fleet.ts";

/** A limit whose function can be told to throw. */
function scene(given: KeyLimit) {
  const state = { isAway: false };
  const limit = (): KeyLimit => {
    if (state.isAway) throw new Error("the plans are away");
    return given;
  };
  return { state, ...fleet({ limit }) };
}

describe("a limit function that throws", () => {
  it("fails the calls of its key with its error, and peek", async () => {
    const { limits, state } = scene({ rate: "5/s" });
    await limits.check("a");
    state.isAway = true;
    await expect(limits.check("a")).rejects.toThrow("the plans are away");
    await expect(limits.peek("a")).rejects.toThrow("the plans are away");
    await expect(limits.for("a").acquire()).rejects.toThrow("the plans are away");
  });

  it("keeps no slot that its call releases", async () => {
    const { limits, state, pass, create } = scene({ rate: "5/s", concurrent: 1 });
    const { slot } = await limits.check("a");
    state.isAway = true;
    slot?.release();
    await pass(20);
    state.isAway = false;
    expect(await create().check("a")).toMatchObject({ allowed: true });
  });

  it("keeps no units that are in hand, also after a reset", async () => {
    const { limits, state, pass } = scene({ rate: "50/s", burst: 50 });
    for (let n = 0; n < 10; n++) await limits.check("a");
    expect(limits.for("a").status().inHand).toBeGreaterThan(0);
    const reset = limits.reset("a");
    for (let n = 0; n < 10; n++) limits.check("a").catch(() => undefined);
    await reset;
    state.isAway = true;
    await pass(5_000);
    expect(limits.status().keys).toBe(0);
    state.isAway = false;
    expect(await limits.peek("a")).toMatchObject({ remaining: 50 });
  });
});

it("a limit that differs from that of another process is refused by name, with what can be done", async () => {
  const { limits, create } = fleet();
  await limits.check("tenant 7");
  const other = create({ limit: { rate: "6/s" } });
  for (const call of [other.check("tenant 7"), other.peek("tenant 7"), other.for("tenant 7").acquire()])
    await expect(call).rejects.toMatchObject({
      code: "DT_PACE_MISMATCH",
      message: expect.stringMatching(
        /^the limit "api" of the key "tenant 7": .* or set limits in the store.* stored: true/,
      ),
    });
});

describe("a limit that no store keeps", () => {
  it.each([
    [{ rate: "1/365d" }, 'limit.rate is "1/365d"; give a time of 1 ms to 100 days'],
    [{ rate: "2000000000000/s" }, 'limit.rate is "2000000000000/s"; give at most 1e12 units'],
    [{ rate: "5/s", burst: 1e13 }, "limit.burst is 10000000000000; give a number from 1 to 1e12"],
  ] as const)("%j is refused, and what is wrong with it is told", async (limit, message) => {
    const { limits, create } = fleet({ limit: () => limit });
    await expect(limits.check("a")).rejects.toThrow(message);
    expect(() => create({ limit })).toThrow(message);
  });

  it("is refused where it comes later: a promise", async () => {
    const { limits } = fleet({ limit: (async () => ({ rate: "5/s" })) as never });
    await expect(limits.check("a")).rejects.toThrow("give { rate }, at once: look plans up before the call");
  });
});

it("a cost that no store keeps is refused, also where the store may have a larger limit", async () => {
  const { create, store } = fleet();
  const limits = create({ stored: true, store });
  await expect(limits.check("a", 2e12)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
});
