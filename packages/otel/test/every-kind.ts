import type { MetricSource } from "../src/index.ts";

const calls = { granted: 9, waited: 4, refused: 1, timedOut: 2, canceled: 3, storeError: 5 };
const any = { state: "running", waiting: 2, maxWaiters: 100, limiting: true, calls, lastError: undefined };

type Emit = (event: string, payload: object) => void;

/** A source made by hand: its status, and events that come when a test says so. */
class Source {
  readonly #status: unknown;
  readonly #listeners = new Map<string, ((payload: object) => void)[]>();

  constructor(status: unknown) {
    this.#status = status;
  }

  status(): object {
    return this.#status as object;
  }

  on(event: string, listener: (payload: object) => void): () => void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return () => void this.#listeners.delete(event);
  }

  readonly emit: Emit = (event, payload) => {
    for (const listener of this.#listeners.get(event) ?? []) listener(payload);
  };
}

const throttle = {
  ...{ kind: "throttle", name: "t", intervalMs: 500, capacity: 100, level: 100, share: 40, used: 3, usedBefore: 30 },
  ...{ nearLimit: 6, want: 45, members: 3, pausedForMs: 0, validForMs: 5_000, storeLost: undefined },
  tokens: { granted: 70, deposited: 8 },
};

/** A limiter of each kind, and everything else that can be measured, with all the numbers there are. */
export class EveryKind {
  readonly #limiters = [
    new Source({ ...any, ...throttle }),
    new Source({
      ...{ ...any, kind: "semaphore", name: "s", capacity: 20, members: 2, held: 7, inUse: 5, valid: true },
      ...{ lost: 1, overdue: 2, pausedForMs: 0 },
    }),
    new Source({
      ...{ ...any, kind: "pacer", name: "p", limit: { everyMs: 50, burst: 1 }, reserved: 30, wasted: 3 },
      pausedForMs: 1_500,
    }),
    new Source({
      ...{ ...any, kind: "budget", name: "b", inUse: 3, unsettled: 1, wouldWait: 4, pausedForMs: 0 },
      limits: { tokens: { max: 1_000, rest: -50, reserved: 1_200, settled: 1_050 } },
    }),
    new Source({
      ...{ ...any, kind: "keyed", name: "k", keys: 12, inUse: 2, local: 80, wouldRefuse: 3, unchecked: 4 },
      slotsLost: 1,
    }),
    new Source({ ...any, kind: "concurrency", name: "c", limit: 12.5, inflight: 5 }),
    new Source({ ...any, kind: "adaptiveRate", name: "r", rate: 33, inflight: 2, pausedForMs: 0 }),
    new Source({ ...any, kind: "adaptiveThrottle", name: "a", probability: 0.25, inflight: 2 }),
    new Source({ ...any, kind: "guard", name: "g", pausedForMs: 0 }),
  ];
  readonly #store = Object.assign(new Source({}), { capabilities: { name: "redis" } });

  /** All sources. */
  get sources(): readonly MetricSource[] {
    const callee = { callee: "https://x.test", pausedForMs: 0, waiting: 1, inflight: 2, sent: 9, refused: 3 };
    const throttled = [{ label: "topic", topic: "reports", times: 2, ms: 1_500 }];
    const signals = { sent: 9, confirmed: 5, unconfirmed: 2, late: 1, broken: 1 };
    const server = {
      allowed: 9,
      refused: 2,
      shed: 1,
      gone: 1,
      waiting: 0,
      quotas: {},
      keyed: { p: { storeLost: false } },
    };
    return [
      ...this.#limiters,
      this.#store,
      Object.assign(new Source([callee]), { name: "h" }),
      new Source(server),
      { metrics: () => ({ throttled }) },
      { metrics: () => ({ throttled, signals, connections: 2, bufferedBytes: 1_024 }) },
    ];
  }

  /** Lets everything happen that is recorded as it happens. */
  happen(): void {
    for (const limiter of this.#limiters) {
      limiter.emit("decided", { result: "timedOut", waitedMs: 250, cost: 1, priority: 3 });
      limiter.emit("limitChanged", { from: 1, to: 2 });
      for (const key of ["a", "b"]) limiter.emit("refused", { key, cost: 1, retryAfterMs: 1 });
    }
    this.#store.emit("operation", { operation: "sync", durationMs: 3, error: undefined });
    this.#store.emit("operation", { operation: "sync", durationMs: 900, error: "DT_STORE_TIMEOUT" });
  }
}
