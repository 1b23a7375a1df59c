import { describe, expect, expectTypeOf, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A call that was not made is never mistaken for one that was. */

const runtime = new VirtualRuntime();

async function usedUp(): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 2, store: new MemoryStore({ runtime }), runtime });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  throttle.tryAcquireUpTo(2);
  return throttle;
}

type Way = (throttle: Throttle, pay: () => Promise<void>, options: object) => Promise<unknown>;
const WAYS: Record<string, Way> = {
  run: (throttle, pay, options) => throttle.run(pay, options),
  wrap: (throttle, pay, options) => throttle.wrap(pay, options)(),
  decorated: (throttle, pay, options) => {
    class Payments {
      @throttle.wrap(options)
      async pay(): Promise<void> {
        return pay();
      }
    }
    return new Payments().pay();
  },
};

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  it.each([
    [{ timeout: 0 }, "DT_TIMEOUT"],
    [{ timeout: 300 }, "DT_TIMEOUT"],
    [{ cost: 2, timeout: 300, whenLimited: "wait" }, "DT_TIMEOUT"],
    [{ whenLimited: "throw" }, "DT_LIMITED"],
    [{ whenLimited: "throw", timeout: 300 }, "DT_LIMITED"],
  ])("rejects with %o, and says when to try again", async (options, code) => {
    await using throttle = await usedUp();
    let made = 0;
    const call = way(throttle, async () => void made++, options).catch((error: unknown) => error);
    await runtime.advance(300);
    const elapsedMs = code === "DT_TIMEOUT" ? (options as { readonly timeout: number }).timeout : 0;
    expect(await call).toMatchObject({ code, retryAfterMs: expect.closeTo(1_000 - elapsedMs, 3) });
    await runtime.advance(5_000);
    expect(made).toBe(0);
  });

  it.each([[{}], [{ timeout: 0 }], [{ timeout: 300 }]])("answers undefined with skip alone: %o", async (options) => {
    await using throttle = await usedUp();
    let made = 0;
    const call = way(throttle, async () => void made++, { ...options, whenLimited: "skip" });
    await runtime.advance(300);
    expect(await call).toBeUndefined();
    await runtime.advance(5_000);
    expect(made).toBe(0);
    expect(throttle.status().waiting).toBe(0);
  });

  it("is made when a token comes in time, also with skip", async () => {
    await using throttle = await usedUp();
    let made = 0;
    const calls = ["wait", "skip"].map((whenLimited) =>
      way(throttle, async () => void made++, { timeout: "2s", whenLimited }),
    );
    await runtime.advance(1_000);
    await Promise.all(calls);
    expect(made).toBe(2);
  });

  it("does not turn an error of the function into a call that was not made", async () => {
    await using throttle = await usedUp();
    await runtime.advance(1_000);
    const failure = new Error("declined");
    for (const whenLimited of ["wait", "throw"])
      await expect(way(throttle, () => Promise.reject(failure), { whenLimited })).rejects.toBe(failure);
  });
});

it("undefined is in the type with skip alone", async () => {
  await using throttle = await usedUp();
  expectTypeOf(() => throttle.run(() => 1, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(() => throttle.run(() => 1, { whenLimited: "throw" })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(() => throttle.run(() => 1, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<
    number | undefined
  >();
});
