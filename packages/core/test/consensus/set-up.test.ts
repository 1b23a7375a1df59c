import { describe, expect, it } from "vitest";
import { createGroupedPacer, createPacer, createThrottle, DtError, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SET_UP_MS = 40_000;

/** A store whose tables are missing: it makes them once, which takes much longer than a call may. */
class UnpreparedStore extends MemoryStore {
  setUps = 0;
  failure: DtError | undefined;
  #ready = false;
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  override async setUp(signal?: AbortSignal): Promise<void> {
    if (this.#ready) return;
    this.setUps += 1;
    await new Promise<void>((resolve, reject) => {
      const timer = this.#runtime.setTimer(resolve, SET_UP_MS);
      signal?.addEventListener("abort", () => {
        timer.cancel();
        reject(new DtError("DT_ABORTED", "the set-up was given up", { effect: "definite" }));
      });
    });
    if (this.failure) throw this.failure;
    this.#ready = true;
  }

  override async register(...args: Parameters<MemoryStore["register"]>): ReturnType<MemoryStore["register"]> {
    this.#refuse();
    return super.register(...args);
  }

  override async reserve(...args: Parameters<MemoryStore["reserve"]>): ReturnType<MemoryStore["reserve"]> {
    this.#refuse();
    return super.reserve(...args);
  }

  #refuse(): void {
    if (!this.#ready) throw new DtError("DT_STORE_UNSUITABLE", "there are no tables", { effect: "definite" });
  }
}

describe("what a store needs once, before its first call, has a deadline of its own", () => {
  it("for a throttle, which starts when it is done", async () => {
    const runtime = new VirtualRuntime();
    const store = new UnpreparedStore(runtime);
    const throttle = createThrottle({ name: "g", max: 10, store, runtime });
    let started = false;
    const start = throttle.start().then(() => {
      started = true;
    });
    await runtime.advance(SET_UP_MS - 1);
    expect(started).toBe(false);
    await runtime.advance(1_001);
    await start;
    expect(throttle.tryAcquireUpTo(1)).toBe(1);
    expect(store.setUps).toBe(1);
    await throttle.stop();
  });

  it("for a throttle, whose start fails as the set-up did", async () => {
    const runtime = new VirtualRuntime();
    const store = new UnpreparedStore(runtime);
    store.failure = new DtError("DT_STORE_UNSUITABLE", "the role lacks a privilege", { effect: "definite" });
    const throttle = createThrottle({ name: "g", max: 10, store, runtime });
    const errors: string[] = [];
    throttle.on("storeError", ({ operation, error }) => errors.push(`${operation}: ${error.message}`));
    const start = throttle.start().catch((error: unknown) => error);
    await runtime.advance(SET_UP_MS + 1_000);
    expect(await start).toBe(store.failure);
    expect(errors).toEqual(["register: the role lacks a privilege"]);
  });

  it("for a throttle, and ends at once when it is stopped", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 10, store: new UnpreparedStore(runtime), runtime });
    const errors: unknown[] = [];
    throttle.on("storeError", (event) => errors.push(event));
    const start = throttle.start().catch((error: unknown) => error);
    await runtime.advance(2_000);
    await throttle.stop();
    expect(await start).toMatchObject({ code: "DT_STOPPED" });
    expect(errors).toEqual([]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("for a pacer, whose callers wait for it", async () => {
    const runtime = new VirtualRuntime();
    const store = new UnpreparedStore(runtime);
    const pacer = createPacer({ name: "k", rate: 10, store, runtime, acquireTimeout: "5m" });
    const permits = Promise.all([pacer.acquire(), pacer.acquire()]);
    await runtime.advance(SET_UP_MS + 1_000);
    expect(await permits).toHaveLength(2);
    expect(store.setUps).toBe(1);
    await pacer.stop();
  });

  it("for pacers of sites, which end at once when they are stopped", async () => {
    const runtime = new VirtualRuntime();
    const site = (): { store: MemoryStore; weight: number } => ({ store: new UnpreparedStore(runtime), weight: 1 });
    const sites = { a: site(), b: site() };
    const pacer = createGroupedPacer({ name: "k", rate: 10, sites, site: "a", runtime });
    const acquired = pacer.acquire().catch((error: unknown) => error);
    await runtime.advance(2_000);
    await pacer.stop();
    expect(await acquired).toMatchObject({ code: "DT_STOPPED" });
    expect(runtime.pendingTimers).toBe(0);
  });
});
