import { createThrottle, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** Requests of one process, each waiting for two seconds at most. */
export class Caller {
  readonly throttle: Throttle;
  /** Requests per second. */
  perSecond = 0;
  granted = 0;
  refused = 0;
  #due = 0;

  constructor(throttle: Throttle) {
    this.throttle = throttle;
  }

  ask(ms: number): void {
    this.#due += (this.perSecond * ms) / 1_000;
    for (; this.#due >= 1; this.#due -= 1)
      this.throttle.acquireUpTo(1, { timeout: 2_000 }).then(
        (tokens) => {
          if (tokens) this.granted += tokens;
          else this.refused += 1;
        },
        () => (this.refused += 1),
      );
  }
}

/** Processes that share a limit by demand, in virtual time. What each epoch granted is counted by its callers. */
export class Crowd {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryStore;
  readonly callers: Caller[] = [];
  readonly perEpoch = new Map<number, number>();
  readonly max: number;
  syncs = 0;

  constructor(max: number, seed = 7) {
    this.max = max;
    this.runtime = new VirtualRuntime({ seed, startMs: 1_000_000_000 });
    this.store = new MemoryStore({ runtime: this.runtime });
    const sync = this.store.sync.bind(this.store);
    this.store.sync = (...call) => {
      this.syncs += 1;
      return sync(...call);
    };
  }

  async join(options: Partial<ThrottleOptions> = {}): Promise<Caller> {
    const { runtime, store, max } = this;
    const throttle = createThrottle({ name: "g", max, store, runtime, shares: "demand", ...options });
    throttle.on("grant", ({ epoch, tokens }) => this.perEpoch.set(epoch, (this.perEpoch.get(epoch) ?? 0) + tokens));
    await throttle.start();
    const caller = new Caller(throttle);
    this.callers.push(caller);
    await runtime.advance(50);
    return caller;
  }

  /** Lets time pass; returns what each was granted meanwhile. */
  async run(ms: number): Promise<number[]> {
    const before = this.callers.map(({ granted }) => granted);
    for (let passed = 0; passed < ms; passed += 10) {
      await this.runtime.advance(10);
      for (const caller of this.callers) caller.ask(10);
    }
    return this.callers.map(({ granted }, place) => granted - (before[place] as number));
  }

  /** The most that was granted in one epoch. */
  get most(): number {
    return Math.max(...this.perEpoch.values());
  }

  async stop(): Promise<void> {
    await Promise.all(this.callers.map(({ throttle }) => throttle.stop()));
  }
}
