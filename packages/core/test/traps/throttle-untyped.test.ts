import { describe, expect, it } from "vitest";
import { createThrottle, type Grant, MemoryStore, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A program without types gets an error that names the mistake, and not undefined. */

// biome-ignore lint/suspicious/noExplicitAny: a program in JavaScript.
type Untyped = any;

const runtime = new VirtualRuntime();

async function started(): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

const COST = "DT_INVALID_COST";
const OPTION = "DT_INVALID_OPTION";

describe("a mistake", () => {
  it.each<[string, (throttle: Untyped) => unknown, string, string]>([
    ['acquire("5")', (t) => t.acquire("5"), COST, '"5" tokens were asked for; give a whole number >= 1'],
    ["acquire({ cost: 5 })", (t) => t.acquire({ cost: 5 }), COST, "options come second: acquire(1, { timeout })"],
    ["acquire({ timeout: 5 })", (t) => t.acquire({ timeout: 5 }), COST, "options come second"],
    ["acquire(null)", (t) => t.acquire(null), COST, "null tokens were asked for"],
    ["acquire(11)", (t) => t.acquire(11), COST, "11 tokens are more than max (10)"],
    ["acquire(1, null)", (t) => t.acquire(1, null), OPTION, "options is null; give an object"],
    ["acquire(1, 500)", (t) => t.acquire(1, 500), OPTION, "options is 500; give an object"],
    ["acquire(1, { timeout: null })", (t) => t.acquire(1, { timeout: null }), OPTION, "timeout is null"],
    ["acquire(1, { signal: true })", (t) => t.acquire(1, { signal: true }), OPTION, "signal is true; give an Abort"],
    ["acquire(1, { onLimit })", (t) => t.acquire(1, { onLimit: "skip" }), OPTION, "onLimit: there is no such option"],
    ["acquireUpTo()", (t) => t.acquireUpTo(), COST, "undefined tokens were asked for"],
    ["acquireGrant(0)", (t) => t.acquireGrant(0), COST, "0 tokens were asked for"],
    ["tryAcquire(0)", (t) => t.tryAcquire(0), COST, "0 tokens were asked for"],
    ['tryAcquire("1")', (t) => t.tryAcquire("1"), COST, '"1" tokens were asked for'],
    ["tryAcquire(NaN)", (t) => t.tryAcquire(Number.NaN), COST, "NaN tokens were asked for"],
    ["tryAcquire(11)", (t) => t.tryAcquire(11), COST, "11 tokens are more than max (10); ask for less, or raise max"],
    ["tryAcquireUpTo({})", (t) => t.tryAcquireUpTo({}), COST, "an object tokens were asked for"],
    ["tryAcquireGrant(-1)", (t) => t.tryAcquireGrant(-1), COST, "-1 tokens were asked for"],
    ["run(promise)", (t) => t.run(Promise.resolve(1)), OPTION, "call is a promise; its call runs already"],
    ["run()", (t) => t.run(), OPTION, "call is undefined; give the function that makes the call"],
    ["run(fn, null)", (t) => t.run(() => 1, null), OPTION, "options is null; give an object"],
    ["run(fn, { onLimit })", (t) => t.run(() => 1, { onLimit: "skip" }), OPTION, "onLimit: there is no such option"],
    [
      "run(fn, { whenLimited: 'stop' })",
      (t) => t.run(() => 1, { whenLimited: "stop" }),
      OPTION,
      'whenLimited is "stop"; give "wait" or "throw" or "skip"',
    ],
    ["run(fn, { cost: 0 })", (t) => t.run(() => 1, { cost: 0 }), COST, "0 tokens were asked for"],
    ["run(fn, { cost: 11 })", (t) => t.run(() => 1, { cost: 11, whenLimited: "throw" }), COST, "more than max (10)"],
    ["run(fn, { priority: 10 })", (t) => t.run(() => 1, { priority: 10 }), OPTION, "priority is 10; give a whole"],
    ["wrap(promise)", (t) => t.wrap(Promise.resolve(1)), OPTION, "wrap is a promise; its call runs already"],
    ["wrap(fn, null)", (t) => t.wrap(() => 1, null), OPTION, "options is null"],
    ["wrap(fn, { cost: '2' })", (t) => t.wrap(() => 1, { cost: "2" }), COST, '"2" tokens were asked for'],
    ["wrap(fn, { onLimit })", (t) => t.wrap(() => 1, { onLimit: "skip" }), OPTION, "onLimit: there is no such option"],
    ["wrap(fn, { cost: fn })()", (t) => t.wrap(() => 1, { cost: () => "2" })(), COST, '"2" tokens were asked for'],
    ["grant.deposit()", (t) => (t.tryAcquireGrant() as Untyped).deposit(), COST, "undefined tokens were deposited"],
    ["deposit(1)", (t) => t.deposit(1), "none", "deposit is not a function"],
    ["update(null)", (t) => t.update(null), OPTION, "update is null; give an object"],
    ["cap(null)", (t) => t.cap(null), OPTION, "cap is null; give tokens per interval"],
  ])("%s", async (_, make, code, message) => {
    await using throttle = await started();
    // Neither undefined nor a grant: an error, thrown or as a rejection.
    const error = await (async () => make(throttle))().then(
      (answer) => ({ answered: answer }),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    if (code !== "none") expect(error).toMatchObject({ code });
    expect(throttle.status().waiting).toBe(0);
  });

  it("costs no token", async () => {
    await using throttle = await started();
    await expect((throttle as Untyped).acquire("5")).rejects.toThrow();
    expect(() => (throttle as Untyped).tryAcquire("1")).toThrow();
    expect(throttle.status().used).toBe(0);
  });

  it("is told after the end as well: nothing answers undefined once stopped", async () => {
    const throttle = await started();
    const grant = throttle.tryAcquireGrant(2) as Grant;
    await throttle.stop();
    const asking: ((throttle: Throttle) => unknown)[] = [
      (t) => t.acquire(),
      (t) => t.acquireUpTo(1),
      (t) => t.acquireGrant(),
      (t) => t.tryAcquire(),
      (t) => t.tryAcquireUpTo(1),
      (t) => t.tryAcquireGrant(),
      (t) => t.run(() => 1, { whenLimited: "skip" }),
      (t) => t.run(() => 1, { whenLimited: "throw" }),
      (t) => t.wrap(async () => 1)(),
      (t) => t.batches(["a"]).next(),
      (t) => t.start(),
    ];
    for (const ask of asking) await expect((async () => ask(throttle))()).rejects.toMatchObject({ code: "DT_STOPPED" });
    expect(grant.deposit(2)).toBeGreaterThanOrEqual(0);
  });
});
