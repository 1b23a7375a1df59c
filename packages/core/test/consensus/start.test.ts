import { describe, expect, it } from "vitest";
import {
  createThrottle,
  DtError,
  type DtErrorCode,
  type Duration,
  isDtError,
  MemoryStore,
  type StartOptions,
  type Throttle,
  type ThrottleOptions,
  type View,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store that serves one call after the other, a few milliseconds each, whatever the number of those who ask. */
class BusyStore extends MemoryStore {
  mostAtOnce = 0;
  readonly #runtime: VirtualRuntime;
  readonly #eachMs: number;
  #atOnce = 0;
  #freeAtMs = 0;

  constructor(runtime: VirtualRuntime, eachMs: number) {
    super({ runtime });
    this.#runtime = runtime;
    this.#eachMs = eachMs;
  }

  override register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    return this.#inTurn(() => super.register(...args));
  }

  override sync(...args: Parameters<MemoryStore["sync"]>): Promise<View> {
    return this.#inTurn(() => super.sync(...args));
  }

  async #inTurn(call: () => Promise<View>): Promise<View> {
    const nowMs = this.#runtime.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + this.#eachMs;
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, this.#freeAtMs - nowMs));
    this.#atOnce -= 1;
    return call();
  }
}

/** A store whose registrations come to what is said, try by try; the last for all that follow. */
class FailingStore extends MemoryStore {
  tries = 0;
  readonly #ends: readonly (DtErrorCode | "answers" | "is silent")[];

  constructor(runtime: VirtualRuntime, ends: readonly (DtErrorCode | "answers" | "is silent")[]) {
    super({ runtime });
    this.#ends = ends;
  }

  override async register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    const end = this.#ends[Math.min(this.tries, this.#ends.length - 1)];
    this.tries += 1;
    if (end === "answers") return super.register(...args);
    if (end === "is silent") return new Promise(() => undefined);
    throw new DtError(end as DtErrorCode, "so it ends");
  }
}

it("many throttles that start at once on one store stand in the queue: a call's deadline begins with its turn", async () => {
  const runtime = new VirtualRuntime();
  const store = new BusyStore(runtime, 2);
  const throttles = Array.from({ length: 1_000 }, () => createThrottle({ name: "g", max: 10_000, store, runtime }));
  const starts = Promise.allSettled(throttles.map((throttle) => throttle.start()));
  await runtime.advance(10_000);
  expect((await starts).filter(({ status }) => status === "rejected")).toEqual([]);
  expect(store.mostAtOnce).toBeLessThanOrEqual(256);
  const stops = Promise.all(throttles.map((throttle) => throttle.stop()));
  await runtime.advance(10_000);
  await stops;
  expect((await store.inspect("g")).memberCount).toBe(0);
});

/** When a start ends, in virtual time, and with what. */
function startOf(throttle: Throttle, runtime: VirtualRuntime, options?: StartOptions) {
  const seen: { error?: unknown; atMs?: number } = {};
  throttle.start(options).then(
    () => {
      seen.atMs = runtime.now();
    },
    (error: unknown) => {
      seen.error = error;
      seen.atMs = runtime.now();
    },
  );
  return seen;
}

function failing(ends: ConstructorParameters<typeof FailingStore>[1], options: Partial<ThrottleOptions> = {}) {
  const runtime = new VirtualRuntime();
  const store = new FailingStore(runtime, ends);
  return { runtime, store, throttle: createThrottle({ name: "g", max: 10, store, runtime, ...options }) };
}

describe("a start", () => {
  it.each([
    ["does not answer", "is silent"],
    ["cannot be reached", "DT_STORE_UNAVAILABLE"],
    ["answers too late", "DT_STORE_TIMEOUT"],
  ] as const)("tries again while the store %s at first", async (_, end) => {
    const { runtime, store, throttle } = failing([end, end, end, "answers"]);
    const start = startOf(throttle, runtime);
    await runtime.advance(20_000);
    expect(start.error).toBeUndefined();
    expect(start.atMs).toBeLessThan(6_000);
    expect(store.tries).toBe(4);
    expect(throttle.status().state).toBe("running");
    await throttle.stop();
  });

  it.each([[undefined, 20_000], ["3s", 3_000] as const, ["2m", 120_000]])(
    "tries for as long as it is told (%s), and ends with the last cause and how long it tried",
    async (timeout, ms) => {
      const { runtime, store, throttle } = failing(["DT_STORE_TIMEOUT", "DT_STORE_UNAVAILABLE"]);
      const start = startOf(throttle, runtime, { timeout: timeout as Duration | undefined });
      await runtime.advance(200_000);
      expect(start.error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", cause: { message: "so it ends" } });
      expect((start.error as Error).message).toMatch(
        new RegExp(
          `the throttle "g" did not start: ${store.tries} tries within \\d+ ms failed, the last with: so it ends`,
        ),
      );
      expect(start.atMs).toBeGreaterThan(ms - 1_000);
      expect(start.atMs).toBeLessThanOrEqual(ms);
      // Nothing goes on in the background.
      expect(runtime.pendingTimers).toBe(0);
      expect(throttle.status().state).toBe("idle");
    },
  );

  it("may be called again after it failed", async () => {
    const { runtime, throttle } = failing(["DT_STORE_UNAVAILABLE", "answers"]);
    expect(startOf(throttle, runtime, { timeout: 0 })).toEqual({});
    await runtime.advance(0);
    const again = startOf(throttle, runtime);
    await runtime.advance(0);
    expect(again).toEqual({ atMs: 0 });
    await throttle.stop();
  });

  it.each<DtErrorCode>([
    "DT_STORE_UNSUITABLE",
    "DT_STORE_CLOSED",
    "DT_STORE_DATA",
    "DT_INVALID_OPTION",
    "DT_STORE_REPLY",
  ])("fails at once with what no waiting mends: %s", async (code) => {
    const { runtime, store, throttle } = failing([code]);
    const start = startOf(throttle, runtime);
    await runtime.advance(0);
    expect(start).toMatchObject({ error: { code, message: "so it ends" }, atMs: 0 });
    expect(store.tries).toBe(1);
  });

  it.each([[-1], ["soon"]])("refuses a timeout of %s", async (timeout) => {
    const { runtime, throttle } = failing(["answers"]);
    const start = startOf(throttle, runtime, { timeout: timeout as number });
    await runtime.advance(0);
    expect(start.error).toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(throttle.status().state).toBe("idle");
  });

  it.each([
    ["while a call is under way", "is silent"],
    ["between two tries", "DT_STORE_UNAVAILABLE"],
  ] as const)("is ended at once by stop() and by its signal, %s", async (_, end) => {
    for (const how of ["stop", "signal"]) {
      const { runtime, throttle } = failing([end]);
      const controller = new AbortController();
      const start = startOf(throttle, runtime, { signal: controller.signal });
      await runtime.advance(40);
      const stopped = how === "stop" ? throttle.stop() : controller.abort("enough");
      await runtime.advance(0);
      expect(start.atMs).toBe(40);
      if (how === "stop") expect(start.error).toMatchObject({ code: "DT_STOPPED" });
      else expect(start.error).toBe("enough");
      await runtime.advance(5_000);
      await stopped;
      expect(throttle.status().state).toBe("stopped");
      expect(runtime.pendingTimers).toBe(0);
    }
  });

  it("whose signal was aborted before does not call the store", async () => {
    const { runtime, store, throttle } = failing(["answers"]);
    const start = startOf(throttle, runtime, { signal: AbortSignal.abort("enough") });
    await runtime.advance(0);
    expect(start.error).toBe("enough");
    expect(store.tries).toBe(0);
  });

  it("waits until the members that run with another interval are gone", async () => {
    const { runtime, store, throttle } = failing(["answers"]);
    const next = createThrottle({ name: "g", max: 5, interval: "2s", store, runtime });
    await throttle.start();
    const start = startOf(next, runtime);
    await runtime.advance(5_000);
    expect(start).toEqual({});
    await throttle.stop();
    await runtime.advance(1_000);
    expect(start.error).toBeUndefined();
    expect(next.status()).toMatchObject({ state: "running", intervalMs: 2_000 });
    await next.stop();
  });
});

it("a throttle that is stopped while it waits for its turn does not call", async () => {
  const runtime = new VirtualRuntime();
  const store = new BusyStore(runtime, 1);
  const throttles = Array.from({ length: 300 }, () => createThrottle({ name: "g", max: 10_000, store, runtime }));
  const starts = throttles.map((throttle) => throttle.start().catch((error: unknown) => error));
  const stopped = throttles[299]?.stop();
  await runtime.advance(3_000);
  await stopped;
  expect(isDtError(await starts[299], "DT_STOPPED")).toBe(true);
  expect((await store.inspect("g")).memberCount).toBe(299);
});
