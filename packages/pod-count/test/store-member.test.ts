import { createThrottle, DtError, type MemberView } from "@dt/core";
import { fixedSource, type PodCountOptions, podCountStore } from "@dt/pod-count";
import { describe, expect, it } from "vitest";
import { refusal, registration, SETTLE_MS, setUp } from "./support/store-in-virtual-time.ts";

describe("a member", () => {
  it("changes its max: the share follows at once, as a new generation", async () => {
    const { store, sync } = setUp({ source: fixedSource(4) });
    const { generation } = (await store.register("g", registration)) as MemberView;
    const view = await sync({ max: 40 });
    expect(view).toMatchObject({ capacity: 40, entitled: 10, held: 10 });
    expect(view.generation).toBeGreaterThan(generation);
    expect(await sync({ max: 400 })).toMatchObject({ capacity: 400, entitled: 100, held: 100 });
    expect(await sync({ max: 4, seq: 2 })).toMatchObject({ capacity: 400 });
  });

  it("has more from its next epoch on, and none of it early: nobody says what others have used", async () => {
    const { runtime, store, sync } = setUp({ source: fixedSource(4) });
    await store.register("g", registration);
    await runtime.advance(1_500);
    const view = await sync({ max: 400 });
    const epoch = Math.floor(view.storeTimeMs / registration.intervalMs);
    expect(view).toMatchObject({ entitled: 100, fromEpoch: epoch + 1, early: 0 });
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
      message: expect.stringContaining("a pod counts as one member"),
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

  it("is what inspect shows, with the number of members", async () => {
    const { store, sync } = setUp({ source: fixedSource(4), ordinal: 1 });
    expect(await store.inspect("g")).toMatchObject({ generation: 0, memberCount: 0, members: [] });
    const { generation } = (await store.register("g", registration)) as MemberView;
    await sync({ generation, members: 4, held: 25, level: 100 });
    expect(await store.inspect("g")).toMatchObject({
      group: "g",
      generation,
      capacity: 100,
      memberCount: 4,
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

  it("hears nothing more from a source that goes on", async () => {
    const { source, store, errors } = setUp();
    source.answer(["a"], "a");
    await store.register("g", registration);
    const { observer } = source;
    await store.close();
    observer?.failed(new DtError("DT_STORE_UNAVAILABLE", "too late"));
    observer?.observed({ members: 0, freshForMs: 1, lagMs: 0 });
    expect(errors).toEqual([]);
  });

  it("leaves no timer behind", async () => {
    const { runtime, source, store } = setUp();
    source.answer(["a"], "a");
    const throttle = createThrottle({ name: "g", max: 10, store, runtime });
    await throttle.start();
    await throttle.stop();
    await store.close();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("a source of one's own", () => {
  it("that throws when it is opened fails the call, and is opened again for the next", async () => {
    let times = 0;
    const { store } = setUp({
      source: {
        name: "mine",
        open(observer) {
          times += 1;
          if (times === 1) throw new Error("not yet");
          observer.observed({ members: 2, freshForMs: 1_000, lagMs: 0 });
          return () => undefined;
        },
      },
    });
    expect(await refusal(store.register("g", registration))).toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      effect: "definite",
      message: "mine could not be opened: Error: not yet",
    });
    expect(await store.register("g", registration)).toMatchObject({ members: 2 });
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
    [{ source: fixedSource(1), runtime: {} }, /runtime is an object; give an object with now, setTimer and random/],
    [{ source: fixedSource(1), setle: 0 }, /setle: there is no such option; did you mean settle\?/],
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
