import { describe, expect, it } from "vitest";
import {
  type BlockedReason,
  createThrottle,
  MemoryStore,
  type Throttle,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

/** Why callers get no tokens: in the status, in an event, and in the message of a wait that ended. */

function world(options: Partial<ThrottleOptions> = {}) {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new FaultyStore(new MemoryStore({ runtime }));
  const create = (more: Partial<ThrottleOptions> = {}): Throttle =>
    createThrottle({ name: "g", max: 10, store, runtime, ...options, ...more });
  return { runtime, store, create };
}

/** A throttle that vanishes without a farewell, as a process that is killed. */
async function killed(create: (more?: Partial<ThrottleOptions>) => Throttle): Promise<void> {
  // Its time stands still from here on.
  const own = new VirtualRuntime({ startMs: 1_000_000, seed: 7 });
  await create({ runtime: own }).start();
}

const reasonOf = (throttle: Throttle): BlockedReason | undefined => throttle.status().blockedBy?.reason;

function reasonsOf(throttle: Throttle): (BlockedReason | undefined)[] {
  const seen: (BlockedReason | undefined)[] = [];
  throttle.on("blocked", ({ reason }) => seen.push(reason));
  return seen;
}

describe("status().blockedBy", () => {
  it("is undefined while tokens are there, also for a throttle that has granted some", async () => {
    const { runtime, create } = world();
    const throttle = create();
    await throttle.start();
    expect(throttle.status().blockedBy).toBeUndefined();
    throttle.tryAcquireUpTo(9);
    expect(throttle.status().blockedBy).toBeUndefined();
    throttle.tryAcquireUpTo(1);
    expect(throttle.status().blockedBy).toMatchObject({ reason: "share", endsInMs: 1_000 });
    await runtime.advance(1_000);
    expect(throttle.status().blockedBy).toBeUndefined();
    await throttle.stop();
  });

  it("share: says when the next token is due where they are released evenly", async () => {
    const { create } = world({ release: "even" });
    const throttle = create();
    await throttle.start();
    while (throttle.tryAcquireUpTo(1)) {
      // All that is due.
    }
    const { reason, endsInMs } = throttle.status().blockedBy ?? {};
    expect(reason).toBe("share");
    expect(endsInMs).toBeGreaterThan(0);
    expect(endsInMs).toBeLessThanOrEqual(100);
    await throttle.stop();
  });

  it("starting and stopped: says why the last try failed", async () => {
    const { runtime, store, create } = world();
    const throttle = create();
    expect(reasonOf(throttle)).toBe("starting");
    store.fault = "refuse";
    const start = throttle.start();
    await runtime.advance(500);
    expect(throttle.status().blockedBy).toMatchObject({
      reason: "starting",
      error: { code: "DT_STORE_UNAVAILABLE" },
      message: expect.stringContaining("refused"),
    });
    store.fault = "none";
    await runtime.advance(2_000);
    await start;
    expect(reasonOf(throttle)).toBeUndefined();
    await throttle.stop();
    expect(reasonOf(throttle)).toBe("stopped");
  });

  it("store: the share has ended and the store does not answer", async () => {
    const { runtime, store, create } = world();
    const throttle = create();
    await throttle.start();
    store.fault = "refuse";
    await runtime.advance(5_000);
    expect(reasonOf(throttle)).toBeUndefined();
    await runtime.advance(5_000);
    expect(throttle.status().blockedBy).toMatchObject({ reason: "store", error: { code: "DT_STORE_UNAVAILABLE" } });
    store.fault = "none";
    await runtime.advance(3_000);
    expect(reasonOf(throttle)).toBeUndefined();
    await throttle.stop();
  });

  it.each([
    ["a cap", {}, 0.5, /the level is 0.5 .* by cap\(0.5\)/],
    ["a ramp that begins at 0", { min: 0, rampUp: "1h" }, undefined, /the level is 0 .* by the ramp/],
  ] as const)("paused: by %s", async (_, options, cap, message) => {
    const { create } = world(options);
    const throttle = create();
    await throttle.start();
    if (cap !== undefined) throttle.cap(cap);
    expect(throttle.status().blockedBy).toMatchObject({ reason: "paused", message: expect.stringMatching(message) });
    await throttle.stop();
  });

  it("learning: says until when", async () => {
    const { runtime, create } = world({ learning: "3s" });
    const throttle = create();
    await throttle.start();
    expect(throttle.status().blockedBy).toMatchObject({ reason: "learning", endsInMs: 3_000 });
    await runtime.advance(1_200);
    expect(throttle.status().blockedBy?.endsInMs).toBeCloseTo(1_800, -1);
    await runtime.advance(5_000);
    expect(reasonOf(throttle)).toBeUndefined();
    await throttle.stop();
  });

  it("stale-members: a killed process holds the tokens, and until when its place ends", async () => {
    const { runtime, create } = world();
    await killed(create);
    const next = create();
    await next.start();
    expect(reasonOf(next)).toBe("members");
    await runtime.advance(5_000);
    const { reason, endsInMs, message } = next.status().blockedBy ?? {};
    expect(reason).toBe("stale-members");
    expect(message).toMatch(/10 tokens are held by 1 members that fell silent/);
    // The stale age is 10 s.
    expect(endsInMs).toBeGreaterThan(4_000);
    expect(endsInMs).toBeLessThan(5_500);
    await runtime.advance((endsInMs as number) + 2_000);
    expect(reasonOf(next)).toBeUndefined();
    await next.stop();
  });

  it("members: the others live, and there are too few tokens for all", async () => {
    const { runtime, create } = world({ max: 1, shares: "demand" });
    const [first, second] = [create(), create()];
    await first.start();
    const end = new AbortController();
    for (let i = 0; i < 100; i++) first.acquireUpTo(1, { signal: end.signal }).catch(() => undefined);
    await runtime.advance(2_000);
    await second.start();
    expect(["members", "share"]).toContain(reasonOf(second));
    end.abort();
    await Promise.all([first.stop(), second.stop()]);
  });

  it("asks the store who is silent only where a caller waits, a listener listens, or the status is read", async () => {
    const looks = async (how: "nobody" | "waits" | "listens" | "reads"): Promise<number> => {
      const { runtime, store, create } = world();
      await killed(create);
      let looked = 0;
      const inspect = store.inspect.bind(store);
      store.inspect = (...args) => {
        looked += 1;
        return inspect(...args);
      };
      const throttle = create();
      await throttle.start();
      if (how === "waits") throttle.acquireUpTo(1).catch(() => undefined);
      if (how === "listens") throttle.on("blocked", () => undefined);
      for (let s = 0; s < 6; s++) {
        if (how === "reads") throttle.status();
        await runtime.advance(1_000);
      }
      await throttle.stop();
      return looked;
    };
    expect(await looks("nobody")).toBe(0);
    for (const how of ["waits", "listens", "reads"] as const) {
      expect(await looks(how)).toBeGreaterThan(0);
      expect(await looks(how)).toBeLessThanOrEqual(3);
    }
  });
});

describe("the event blocked", () => {
  it("tells each reason once, and that callers are served again", async () => {
    const { runtime, create } = world({ learning: "3s" });
    const throttle = create();
    const seen = reasonsOf(throttle);
    await throttle.start();
    const served = throttle.acquireUpTo(1);
    await runtime.advance(2_500);
    expect(seen).toEqual(["learning"]);
    await runtime.advance(4_000);
    expect(await served).toBe(1);
    expect(seen[0]).toBe("learning");
    expect(seen.at(-1)).toBeUndefined();
    expect(new Set(seen).size).toBe(seen.length);
    await throttle.stop();
  });

  it("goes from members to stale-members for one that waits beside a killed process", async () => {
    const { runtime, create } = world();
    await killed(create);
    const next = create();
    const seen = reasonsOf(next);
    await next.start();
    const served = next.acquireUpTo(1);
    await runtime.advance(14_000);
    expect(await served).toBe(1);
    expect(seen.filter((reason) => reason !== "share")).toEqual(["members", "stale-members", undefined]);
    await next.stop();
  });

  it("is told where nobody waits as well, once there is something new; not of a share that is used up", async () => {
    const { runtime, create } = world({ learning: "3s" });
    const throttle = create();
    const seen = reasonsOf(throttle);
    await throttle.start();
    for (let tenths = 0; tenths < 60; tenths++) {
      throttle.tryAcquireUpTo(4);
      await runtime.advance(100);
    }
    expect(seen.filter((reason) => reason !== "share")).toEqual(["learning", undefined]);
    throttle.cap(0);
    throttle.tryAcquireUpTo(1);
    expect(seen.at(-1)).toBe("paused");
    await throttle.stop();
  });
});

describe("a wait that ends by acquireTimeout", () => {
  it.each([
    [{ learning: "5s" }, /within 2000 ms: the group is new and learns: .*, for another \d+ ms at least$/],
    [{ min: 0, rampUp: "1h" }, /within 2000 ms: the level is 0\.\d+ tokens per interval/],
    [
      { interval: "1m" },
      /within 2000 ms: the 10 tokens of this member in this epoch are used up, .*; tokens come with epochs of 60000 ms/,
    ],
  ] as const)("says what held it up: %o", async (options, message) => {
    const { runtime, create } = world({ acquireTimeout: "2s", ...options });
    const throttle = create();
    await throttle.start();
    throttle.tryAcquireUpTo(10);
    const refused = throttle.acquireUpTo(1).catch((error: Error) => error.message);
    await runtime.advance(2_000);
    expect(await refused).toMatch(message);
    await throttle.stop();
  });
});
