import { describe, expect, expectTypeOf, it } from "vitest";
import type { GroupedPermit, Limiter, Permit, WhenLimited } from "../../src/index.ts";
import type { VirtualRuntime } from "../../src/testing/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { pacerWorld } from "../support/pacer-world.ts";

interface World {
  readonly runtime: VirtualRuntime;
  readonly pacer: Limiter<Promise<Permit | undefined>, Permit> & { readonly waiting: number };
}

/** Pacers with a permit a minute, the first of which is gone. */
const kinds: readonly (readonly [string, () => Promise<World>])[] = [
  [
    "a pacer",
    async () => {
      const { runtime, create } = pacerWorld({ every: "1m" });
      const pacer = create();
      await pacer.acquire();
      return { runtime, pacer };
    },
  ],
  [
    "a grouped pacer",
    async () => {
      const { runtime, create } = groupedPacerWorld({ rate: "2/min" });
      const pacer = create("eu", { stealAfter: "1h" });
      await pacer.acquire();
      return { runtime, pacer };
    },
  ],
];

describe.each(kinds)("a call of %s that was not made is not taken for one that was:", (_, make) => {
  it.each<[string, object, string]>([
    ["a call whose permit would come too late", { timeout: "2s" }, "DT_TIMEOUT"],
    ["a call that does not wait", { timeout: 0 }, "DT_TIMEOUT"],
    ["whenLimited: throw", { whenLimited: "throw" }, "DT_LIMITED"],
    ["a cost that is never granted", { cost: 1e9 }, "DT_INVALID_COST"],
  ])("%s rejects, in run and in wrap", async (_, options, code) => {
    const { pacer } = await make();
    let calls = 0;
    const call = (): undefined => void ++calls;
    await expect(pacer.run(call, options)).rejects.toMatchObject({ code });
    const wrapped = async (): Promise<unknown> => pacer.wrap(call, options)();
    await expect(wrapped()).rejects.toMatchObject({ code });
    expect(calls).toBe(0);
    await pacer.stop();
  });

  it("what was not in time rejects, and says when to come back", async () => {
    const { pacer } = await make();
    for (const timeout of [0, "2s"] as const)
      await expect(pacer.acquire(1, { timeout })).rejects.toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 60_000 });
    const limited = pacer.run(() => 1, { whenLimited: "throw" });
    await expect(limited).rejects.toMatchObject({ code: "DT_LIMITED", retryAfterMs: 60_000 });
    expect(pacer.waiting).toBe(0);
    await pacer.stop();
  });

  it.each([{}, { timeout: 0 }, { timeout: "2s" }] as const)(
    "only skip resolves to undefined, without calling: %o",
    async (options) => {
      const { pacer } = await make();
      let calls = 0;
      expect(await pacer.run(() => ++calls, { ...options, whenLimited: "skip" })).toBeUndefined();
      expect(await pacer.wrap(() => ++calls, { ...options, whenLimited: "skip" })()).toBeUndefined();
      expect(calls).toBe(0);
      await pacer.stop();
    },
  );

  it("skip waits for its timeout, and calls when the permit comes in time", async () => {
    const { runtime, pacer } = await make();
    const called = pacer.run(() => "called", { whenLimited: "skip", timeout: "61s" });
    await runtime.advance(60_000);
    expect(await called).toBe("called");
    await pacer.stop();
  });

  it.each(["wait", "throw", "skip"] as const)(
    "a stopped or draining pacer rejects, also with %s",
    async (whenLimited) => {
      const { runtime, pacer } = await make();
      const waiting = pacer.run(() => "made").catch(({ code }: { readonly code: string }) => code);
      const drained = pacer.drain({ timeout: "1s" });
      let calls = 0;
      await expect(pacer.run(() => ++calls, { whenLimited })).rejects.toMatchObject({ code: "DT_STOPPED" });
      await expect(pacer.tryAcquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
      await runtime.advance(1_000);
      expect([await waiting, await drained]).toEqual(["DT_STOPPED", false]);
      await expect(pacer.run(() => ++calls, { whenLimited })).rejects.toMatchObject({ code: "DT_STOPPED" });
      await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
      expect(calls).toBe(0);
    },
  );

  it("an error of the function with the code of a timeout is the function's: skip does not hide it", async () => {
    const { runtime, pacer } = await make();
    const own = Object.assign(new Error("the callee took too long"), { code: "DT_TIMEOUT" });
    const failed = pacer.run(() => Promise.reject(own), { whenLimited: "skip", timeout: "2m" });
    const seen = failed.catch((error: unknown) => error);
    await runtime.advance(60_000);
    expect(await seen).toBe(own);
    await pacer.stop();
  });
});

it("types say undefined only of tryAcquire and skip", () => {
  const pacer = pacerWorld().create();
  const grouped = groupedPacerWorld().create("eu");
  expectTypeOf(() => pacer.acquire(2, { timeout: 5 })).returns.resolves.toEqualTypeOf<Permit>();
  expectTypeOf(() => grouped.acquire(2, { timeout: 5 })).returns.resolves.toEqualTypeOf<GroupedPermit>();
  expectTypeOf(() => pacer.tryAcquire()).returns.resolves.toEqualTypeOf<Permit | undefined>();
  expectTypeOf(() => grouped.tryAcquire()).returns.resolves.toEqualTypeOf<GroupedPermit | undefined>();
  const length = (text: string): number => text.length;
  expectTypeOf(pacer.wrap(length, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(pacer.wrap(length, { whenLimited: "throw" })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(pacer.wrap(length, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<number | undefined>();
  const whenLimited = "wait" as WhenLimited;
  expectTypeOf(pacer.wrap(length, { whenLimited })).returns.resolves.toEqualTypeOf<number | undefined>();
  expectTypeOf(() => grouped.run(({ site }) => site)).returns.resolves.toEqualTypeOf<string>();
});
