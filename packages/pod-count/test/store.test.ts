import { createThrottle, DtError, isDtError, type MemberView, type Report } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { fixedSource, type PodCountOptions, type PodCountStore, podCountStore } from "@dt/pod-count";
import { afterEach, describe, expect, it } from "vitest";
import { ManualSource } from "./support/manual-source.ts";

const stores: PodCountStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** A stale age of 10 s, a lag of 6 s: whatever raises a share waits for 16 s. */
const SETTLE_MS = 16_000;
const registration = {
  id: "p",
  incarnation: "boot",
  seq: 1,
  rejoin: false,
  claim: 0,
  max: 100,
  intervalMs: 1_000,
  staleAfterMs: 10_000,
  learningMs: 0,
  level: null,
  resumeWithinMs: 0,
  observedMs: 0,
};

function setUp(options: Partial<PodCountOptions> = {}, source = new ManualSource()) {
  const runtime = new VirtualRuntime({ startMs: 1_000 });
  const errors: string[] = [];
  const store = podCountStore({
    source,
    ordinal: "none",
    runtime,
    onError: (error) => errors.push(`${error.code}: ${error.message}`),
    ...options,
  });
  stores.push(store);
  let seq = 1;
  const sync = async (report: Partial<Report> = {}): Promise<MemberView> => {
    seq += 1;
    const whole = { seq, generation: 0, poolSize: 0, held: 0, max: 100, level: null, ...report };
    const view = await store.sync("g", registration, whole);
    if (view.status !== "agree" && view.status !== "disagree") throw new Error(`answered ${view.status}`);
    return view;
  };
  /** Time passes, and the source confirms every second what it said last. */
  const pass = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      await runtime.advance(Math.min(leftMs, 1_000));
      source.confirm();
    }
  };
  return { runtime, source, store, sync, pass, errors };
}

async function refusal(call: Promise<unknown>): Promise<DtError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDtError(error)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe("a fixed pool", () => {
  it("gives an equal part without ranks at once, and never claims an exact split", async () => {
    const { store, sync, pass } = setUp({ source: fixedSource(3) });
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      poolSize: 3,
      held: 33,
      fair: 33,
      capacity: 100,
      learning: false,
    });
    await pass(100_000);
    expect(await sync()).toMatchObject({ status: "disagree", held: 33 });
  });

  it("is split exactly when the rank is known", async () => {
    const { store } = setUp({ source: fixedSource(3), ordinal: 2 });
    expect(await store.register("g", registration)).toMatchObject({
      status: "agree",
      poolSize: 3,
      rank: 2,
      held: 34,
      fair: 33,
    });
  });

  it("that is smaller than the ordinal has no rank for it", async () => {
    const { store } = setUp({ source: fixedSource(3), ordinal: 3 });
    expect(await store.register("g", registration)).toMatchObject({ status: "disagree", rank: 0, held: 33 });
  });

  it("larger than max is told, once for each size", async () => {
    const { store, sync, errors } = setUp({ source: fixedSource(200), ordinal: 3 });
    await store.register("g", registration);
    await sync();
    await sync({ max: 50 });
    expect(errors).toEqual([
      expect.stringMatching(/^DT_STORE_UNSUITABLE: group "g" has max 100 and 200 processors.*longer interval/),
    ]);
  });
});

describe("a listed pool", () => {
  it("makes a newcomer wait for the settle time, so that everybody has counted it", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      poolSize: 2,
      held: 0,
      learning: true,
    });
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ status: "disagree", held: 0, learning: true });
    await pass(1);
    expect(await sync()).toMatchObject({ status: "agree", rank: 0, held: 50, learning: false });
  });

  it("that grows lowers the share at once, as a new generation with new ranks", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["b", "c"], "b");
    const { generation } = (await store.register("g", registration)) as MemberView;
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", generation, rank: 0, held: 50 });
    source.answer(["a", "b", "c"], "b");
    const grown = await sync();
    expect(grown).toMatchObject({ status: "agree", poolSize: 3, rank: 1, held: 34, fair: 33 });
    expect(grown.generation).toBeGreaterThan(generation);
  });

  it("that shrinks raises the share only after the settle time", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["a", "b", "c", "d"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.answer(["a", "b", "c"], "a");
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ poolSize: 4, held: 25 });
    await pass(1);
    expect(await sync()).toMatchObject({ poolSize: 3, held: 34 });
  });

  it("that flaps, even without this processor, changes nothing: neither the share nor the generation", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    const all = ["a", "b", "c", "d"];
    source.answer(all, "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    const settled = await sync();
    expect(settled).toMatchObject({ status: "agree", poolSize: 4 });
    for (let step = 0; step < 300; step++) {
      const part = step % 3 === 0 ? all : all.slice(step % 4);
      source.answer(part, part.includes("a") ? "a" : undefined);
      await runtime.advance(500);
      expect(await sync()).toMatchObject({ status: "agree", generation: settled.generation, poolSize: 4, held: 25 });
    }
  });

  it("that does not list a starting processor gives it nothing yet, and refuses it when that goes on", async () => {
    const { source, store, sync, pass, errors } = setUp();
    source.answer([]);
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      poolSize: 1,
      held: 0,
      learning: true,
    });
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ held: 0 });
    await pass(1);
    const error = await refusal(sync());
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    expect(error.message).toBe("manual lists nobody, so nobody leaves it a share; be listed");
    source.answer(["b", "c"]);
    expect((await refusal(sync())).message).toMatch(/lists 2 and not this processor/);
    expect(errors).toHaveLength(1);
    source.answer(["a", "b", "c"], "a");
    expect(await sync()).toMatchObject({ poolSize: 3, held: 0, learning: true });
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", poolSize: 3, held: 34 });
  });

  it("that lists this processor no longer refuses it when the last answer that did is no longer fresh", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.answer(["b"]);
    await runtime.advance(4_999);
    source.answer(["b"]);
    expect(await sync()).toMatchObject({ poolSize: 2, held: 50 });
    await runtime.advance(1);
    expect((await refusal(sync())).message).toMatch(/lists 1 and not this processor/);
  });
});

describe("a source that does not answer", () => {
  it("leaves the last answer in use while it is fresh, then every call fails with the reason", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.fail(new DtError("DT_STORE_UNAVAILABLE", "the cable is cut"));
    await runtime.advance(4_999);
    expect(await sync()).toMatchObject({ held: 50 });
    await runtime.advance(1);
    const error = await refusal(sync());
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    expect(error.message).toMatch(/manual has not answered in time: the cable is cut/);
  });

  it("for a short time costs nothing: the share is there again at once", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    await sync();
    // Fresh for 5 s, and 10 s (settle less lag) in which nobody can have stopped counting this processor.
    await runtime.advance(15_000);
    await refusal(sync());
    source.confirm();
    expect(await sync()).toMatchObject({ status: "agree", held: 50 });
  });

  it("for so long that others may have stopped counting this processor makes it a newcomer", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    await sync();
    await runtime.advance(15_001);
    source.confirm();
    expect(await sync()).toMatchObject({ status: "disagree", held: 0, learning: true });
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", held: 50 });
  });

  it("at the first call is waited for until the deadline", async () => {
    const { runtime, store } = setUp({ timeout: "700ms" });
    const call = refusal(store.register("g", registration));
    await runtime.advance(700);
    expect(await call).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      message: expect.stringContaining("waiting for manual"),
    });
  });

  it("but fails at the first call is the reason of its failure", async () => {
    const { runtime, source, store } = setUp();
    const call = refusal(store.register("g", registration));
    await runtime.advance(1);
    source.fail(new DtError("DT_STORE_UNSUITABLE", "no token"));
    expect(await call).toMatchObject({ code: "DT_STORE_UNSUITABLE", message: "no token" });
    expect(await refusal(store.register("g", registration))).toMatchObject({ code: "DT_STORE_UNSUITABLE" });
    source.answer(["a"], "a");
    expect(await store.register("g", registration)).toMatchObject({ poolSize: 1 });
  });

  it.each([0, -1, 1.5, Number.NaN, 100_001, null, "5", [""], [7], { length: 1 }])(
    "but says %j is refused, and what it said before holds",
    async (pool) => {
      const { source, store, sync, errors } = setUp();
      source.answer(["a", "b"], "a");
      await store.register("g", registration);
      source.answer(pool as number);
      expect(errors).toEqual([expect.stringMatching(/^DT_STORE_REPLY: manual answered /)]);
      expect(await sync()).toMatchObject({ poolSize: 2 });
    },
  );
});

describe("a member", () => {
  it("changes its max: the share follows at once, as a new generation", async () => {
    const { store, sync } = setUp({ source: fixedSource(4) });
    const { generation } = (await store.register("g", registration)) as MemberView;
    const view = await sync({ max: 40 });
    expect(view).toMatchObject({ capacity: 40, fair: 10, held: 10 });
    expect(view.generation).toBeGreaterThan(generation);
    expect(await sync({ max: 400 })).toMatchObject({ capacity: 400, fair: 100, held: 100 });
    expect(await sync({ max: 4, seq: 2 })).toMatchObject({ capacity: 400 });
  });

  it("of an unknown incarnation, or after its farewell, is unknown", async () => {
    const { store, sync } = setUp({ source: fixedSource(4) });
    await expect(sync()).rejects.toThrow("answered unknown");
    await store.register("g", registration);
    await store.deregister("g", { id: "p", incarnation: "other" }, { seq: 1, level: null });
    await sync();
    await store.deregister("g", registration, { seq: 9, level: null });
    await expect(sync()).rejects.toThrow("answered unknown");
  });

  it("is the only one of its group on a store, until it leaves or goes silent", async () => {
    const { runtime, store } = setUp({ source: fixedSource(4) });
    await store.register("g", registration);
    const second = { ...registration, incarnation: "second" };
    expect(await refusal(store.register("g", second))).toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining("a pod counts as one processor"),
    });
    await store.register("another group", second);
    await runtime.advance(10_000);
    expect(await store.register("g", second)).toMatchObject({ held: 25 });
  });

  it("with a longer stale age makes the settle time longer, and waits for it itself", async () => {
    const { source, store, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    const slow = await store.register("slow", { ...registration, staleAfterMs: 30_000 });
    expect(slow).toMatchObject({ held: 0, learning: true });
    const quick = await store.register("quick", { ...registration, staleAfterMs: 2_000 });
    expect(quick).toMatchObject({ held: 0, learning: true });
    await pass(20_000);
    expect(await store.register("quick", { ...registration, seq: 2 })).toMatchObject({ held: 50 });
  });

  it("is what inspect shows, with the size of the pool", async () => {
    const { store, sync } = setUp({ source: fixedSource(4), ordinal: 1 });
    expect(await store.inspect("g")).toMatchObject({ generation: 0, poolSize: 0, members: [] });
    const { generation } = (await store.register("g", registration)) as MemberView;
    await sync({ generation, poolSize: 4, held: 25, level: 100 });
    expect(await store.inspect("g")).toMatchObject({
      group: "g",
      generation,
      capacity: 100,
      poolSize: 4,
      adopted: 1,
      held: 25,
      members: [{ id: "p", incarnation: "boot", rank: 1, held: 25, level: 100, silentMs: 0, fenced: false }],
    });
  });
});

describe("closing", () => {
  it("ends the source, refuses every call and fails the one in flight", async () => {
    const { source, store } = setUp();
    const call = refusal(store.register("g", registration));
    await store.close();
    await store.close();
    expect((await call).code).toBe("DT_STORE_CLOSED");
    expect(source.isOpen).toBe(false);
    expect((await refusal(store.register("g", registration))).code).toBe("DT_STORE_CLOSED");
  });

  it("leaves no timer behind", async () => {
    const { runtime, source, store } = setUp();
    source.answer(["a"], "a");
    const throttle = createThrottle({ group: "g", max: 10, store, runtime });
    await throttle.start();
    await throttle.stop();
    await store.close();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("options", () => {
  it.each([
    [undefined, /options is undefined/],
    [{ source: "dns" }, /source is "dns"; give fixedSource/],
    [{ source: fixedSource(1), settle: "soon" }, /settle is "soon"/],
    [{ source: fixedSource(1), ordinal: -1 }, /ordinal is -1/],
    [{ source: fixedSource(1), ordinal: "third" }, /ordinal is "third"/],
    [{ source: fixedSource(1), onError: 3 }, /onError is 3/],
    [{ source: fixedSource(1), timeout: 0 }, /timeout is 0/],
    [{ source: fixedSource(1), setle: 0 }, /setle is 0; there is no such option/],
  ])("%j are refused with the remedy", (options, message) => {
    expect(() => podCountStore(options as unknown as PodCountOptions)).toThrow(message);
  });

  it("a listener of errors that throws disturbs nothing", async () => {
    const thrown: unknown[] = [];
    const onUncaught = (error: unknown): void => void thrown.push(error);
    process.prependOnceListener("uncaughtException", onUncaught);
    const listeners = process.listeners("uncaughtException").slice(1);
    process.removeAllListeners("uncaughtException").on("uncaughtException", onUncaught);
    try {
      const { source, store } = setUp({
        onError: () => {
          throw new Error("of the listener");
        },
      });
      source.answer(["a"], "a");
      await store.register("g", registration);
      source.fail(new DtError("DT_STORE_UNAVAILABLE", "x"));
      await new Promise(setImmediate);
      expect(thrown).toEqual([expect.objectContaining({ message: "of the listener" })]);
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of listeners) process.on("uncaughtException", listener);
    }
  });
});
