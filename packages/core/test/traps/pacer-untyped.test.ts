import { describe, expect, it } from "vitest";
import type { GroupedPacer, Pacer } from "../../src/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { pacerWorld } from "../support/pacer-world.ts";

const kinds: readonly (readonly [string, () => Pacer | GroupedPacer])[] = [
  ["a pacer", () => pacerWorld().create()],
  ["a grouped pacer", () => groupedPacerWorld().create("eu")],
];

/** What a caller without types may write. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point.
type Untyped = any;

describe.each(kinds)("%s, called without types", (_, create) => {
  it.each<[string, unknown[], string, string]>([
    ["the cost among the options", [{ cost: 2 }], "DT_INVALID_COST", "the cost comes first"],
    ["options in the place of the cost", [{ timeout: "1s" }], "DT_INVALID_COST", "acquire(2, { timeout })"],
    ["a cost that is text", ["2"], "DT_INVALID_COST", 'cost is "2"; give a number of units > 0'],
    ["no cost at all", [null], "DT_INVALID_COST", "cost is null"],
    ["a cost of nothing", [0], "DT_INVALID_COST", "cost is 0"],
    ["a negative cost", [-1], "DT_INVALID_COST", "cost is -1"],
    ["a cost that is no number", [Number.NaN], "DT_INVALID_COST", "cost is NaN"],
    ["more than any call may cost", [1e12], "DT_INVALID_COST", "at most maxCost"],
    ["the cost twice", [1, { cost: 2 }], "DT_INVALID_OPTION", "cost: there is no such option"],
    ["a time in the place of options", [1, "5s"], "DT_INVALID_OPTION", 'options is "5s"; give an object'],
    ["no options at all", [1, null], "DT_INVALID_OPTION", "options is null; give an object"],
    ["a priority that is no number", [1, { priority: "high" }], "DT_INVALID_OPTION", 'priority is "high"'],
    ["a priority beyond the range", [1, { priority: 10 }], "DT_INVALID_OPTION", "from -9 to 9"],
    ["a time that has passed", [1, { timeout: -1 }], "DT_INVALID_OPTION", "timeout is -1"],
    ["a controller for its signal", [1, { signal: new AbortController() }], "DT_INVALID_OPTION", "give an AbortSignal"],
  ])("acquire with %s is refused, and takes no permit", async (_, args, code, message) => {
    await using pacer = create();
    await expect((pacer as Untyped).acquire(...args)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: 0 });
  });

  it.each<[string, unknown]>([
    ["the cost among options", { cost: 2 }],
    ["text", "1"],
    ["nothing", 0],
  ])("tryAcquire with %s is refused: it does not answer no", async (_, cost) => {
    await using pacer = create();
    await expect((pacer as Untyped).tryAcquire(cost)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
  });

  it.each<[unknown[], string, string]>([
    [[() => 1, { onLimit: "skip" }], "DT_INVALID_OPTION", "onLimit: there is no such option"],
    [[{ onLimit: "skip" }], "DT_INVALID_OPTION", "onLimit: there is no such option"],
    [
      [() => 1, { whenLimited: "drop" }],
      "DT_INVALID_OPTION",
      'whenLimited is "drop"; give "wait" or "throw" or "skip"',
    ],
    [[() => 1, { cost: 0 }], "DT_INVALID_COST", "cost is 0"],
    [[() => 1, { priority: 1.5 }], "DT_INVALID_OPTION", "priority is 1.5"],
    [[() => 1, { timeout: "soon" }], "DT_INVALID_OPTION", 'timeout is "soon"'],
    [[Promise.resolve(1)], "DT_INVALID_OPTION", "is a promise"],
    [[undefined], "DT_INVALID_OPTION", "give a function"],
  ])("wrap(%o) is refused when it is called, not at the first call of the function", async (args, code, message) => {
    await using pacer = create();
    const refusal = { code, message: expect.stringContaining(message) };
    expect(() => (pacer as Untyped).wrap(...args)).toThrowError(expect.objectContaining(refusal));
  });

  it.each<[unknown[], string]>([
    [[() => 1, { onLimit: "throw" }], "onLimit: there is no such option"],
    [[Promise.resolve(1)], "is a promise"],
    [[{ cost: 2 }], "give the function"],
    [[() => 1, 2], "options is 2; give an object"],
  ])("run(%o) is refused", async (args, message) => {
    await using pacer = create();
    await expect((pacer as Untyped).run(...args)).rejects.toThrow(message);
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: 0 });
  });

  it("a wrapped call whose cost or priority makes no sense is refused, and not made", async () => {
    await using pacer = create();
    let calls = 0;
    const wrapped = pacer.wrap((_cost: unknown, _priority?: unknown) => ++calls, {
      cost: (cost) => cost as number,
      priority: (_, priority) => priority as number,
    });
    await expect(wrapped(undefined)).rejects.toThrow("the function cost gave undefined; return what the call costs");
    await expect(wrapped("2")).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await expect(wrapped(1, 99)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(calls).toBe(0);
    expect(await wrapped(1, 9)).toBe(1);
  });

  it("a permit has nothing that a block would give back at its end", async () => {
    await using pacer = create();
    const permit = await pacer.acquire();
    expect([Symbol.dispose in permit, Symbol.asyncDispose in permit]).toEqual([false, false]);
  });
});
