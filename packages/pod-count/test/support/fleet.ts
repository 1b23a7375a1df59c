import { createThrottle, DtError, type Runtime, type Throttle } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type MemberObserver, type PodCountStore, podCountStore } from "@dt/pod-count";

/** How a fleet observes itself. All in milliseconds. */
export interface FleetOptions {
  readonly seed: number;
  readonly max: number;
  readonly staleAfterMs?: number;
  /** Time between two looks of a pod at the list. */
  readonly pollMs?: number;
  /** How old the list may be that a pod is shown; each look draws its own age. */
  readonly delayMs?: number;
  /** The `settle` option, if any. */
  readonly settleMs?: number;
}

interface Pod {
  readonly name: string;
  readonly throttle: Throttle;
  readonly store: PodCountStore;
  /** While true, its looks fail. */
  blind: boolean;
  /** How old the list is that it is shown; undefined: a new age for every look. */
  delayMs: number | undefined;
}

/** One grant, at a real time. */
interface Grant {
  readonly atMs: number;
  readonly tokens: number;
}

const STEP_MS = 250;
const GRACE_MS = 1_000;

/**
 * Pods that share a limit by counting each other, in virtual time: real throttles on real stores, over a list that each
 * sees late, by a delay of its own, and with a clock of its own (so that epochs do not line up). Every pod takes all it
 * can get, as soon as it can.
 */
export class Fleet {
  readonly runtime: VirtualRuntime;
  readonly pods = new Map<string, Pod>();
  readonly grants: Grant[] = [];
  readonly #options: Required<Omit<FleetOptions, "settleMs">> & Pick<FleetOptions, "settleMs">;
  /** Every state of the list, with the time from which it was true. */
  readonly #history: { fromMs: number; names: readonly string[] }[] = [{ fromMs: 0, names: [] }];

  constructor(options: FleetOptions) {
    this.#options = { staleAfterMs: 3_000, pollMs: 500, delayMs: 1_000, ...options };
    this.runtime = new VirtualRuntime({ seed: options.seed, startMs: 10_000 });
  }

  /** What the source says of itself: the age of an answer, and how long it is used. */
  get lagMs(): number {
    const { pollMs, delayMs } = this.#options;
    return delayMs + pollMs + GRACE_MS;
  }

  get listed(): readonly string[] {
    return this.#history.at(-1)?.names ?? [];
  }

  /** Lists a name, whether or not there is such a pod. */
  list(name: string): void {
    if (!this.listed.includes(name)) this.#record([...this.listed, name]);
  }

  unlist(name: string): void {
    this.#record(this.listed.filter((other) => other !== name));
  }

  /** Starts a pod; its throttle joins as soon as its source answers. */
  start(name: string, options: { readonly delayMs?: number } = {}): Pod {
    const { max, staleAfterMs, settleMs } = this.#options;
    const runtime = skewed(this.runtime, Math.floor(this.runtime.random() * 40) * STEP_MS);
    const store = podCountStore({
      source: { name: "the list", open: (observer) => this.#observe(pod, observer) },
      runtime,
      ...(settleMs !== undefined && { settle: settleMs }),
    });
    const throttle = createThrottle({
      name: "g",
      max,
      store,
      runtime,
      staleAfter: staleAfterMs,
      syncInterval: 400,
      storeTimeout: 300,
    });
    const pod: Pod = { name, throttle, store, blind: false, delayMs: options.delayMs };
    this.pods.set(name, pod);
    const join = (): void => {
      throttle.start().catch(() => this.runtime.setTimer(() => this.pods.get(name) === pod && join(), STEP_MS));
    };
    join();
    return pod;
  }

  /** Ends a pod gracefully. */
  async leave(name: string): Promise<void> {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    await pod?.throttle.stop();
    await pod?.store.close();
  }

  /** Ends a pod as a crash does: no farewell, and it stays listed until somebody notices. */
  crash(name: string): void {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    void pod?.store.close();
    // Its store is closed, so nobody hears of it; it only syncs no more.
    void pod?.throttle.stop();
  }

  /** A crash, and a new process in its place at once. */
  restart(name: string): void {
    this.crash(name);
    this.start(name);
  }

  blind(name: string, blind: boolean): void {
    const pod = this.pods.get(name);
    if (pod) pod.blind = blind;
  }

  /** Time passes, and everybody takes what there is. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
      for (const { throttle } of this.pods.values()) {
        if (throttle.status().state !== "running") continue;
        const tokens = throttle.tryAcquireUpTo(1_000_000);
        if (tokens > 0) this.grants.push({ atMs: this.runtime.now(), tokens });
      }
      await this.runtime.advance(STEP_MS);
    }
  }

  /** The most that was granted within any stretch of one interval, from a time on. */
  mostInAnyInterval(fromMs = 0): number {
    const grants = this.grants.filter(({ atMs }) => atMs >= fromMs);
    let most = 0;
    let sum = 0;
    let first = 0;
    for (const { atMs, tokens } of grants) {
      sum += tokens;
      while ((grants[first] as Grant).atMs <= atMs - 1_000) sum -= (grants[first++] as Grant).tokens;
      most = Math.max(most, sum);
    }
    return most;
  }

  /** All that was granted since a time. */
  granted(fromMs: number): number {
    return this.grants.reduce((sum, { atMs, tokens }) => (atMs >= fromMs ? sum + tokens : sum), 0);
  }

  #observe(pod: Pod, observer: MemberObserver): () => void {
    const { pollMs, delayMs } = this.#options;
    let open = true;
    const look = (): void => {
      if (!open) return;
      if (pod.blind) observer.failed(new DtError("DT_STORE_UNAVAILABLE", "nothing can be seen"));
      else {
        const ageMs = pod.delayMs ?? this.runtime.random() * delayMs;
        const members = this.#namesAt(this.runtime.now() - ageMs);
        const self = members.includes(pod.name) ? pod.name : undefined;
        observer.observed({ members, self, freshForMs: pollMs + GRACE_MS, lagMs: this.lagMs });
      }
      observer.runtime.setTimer(look, pollMs);
    };
    look();
    return () => {
      open = false;
    };
  }

  #namesAt(atMs: number): readonly string[] {
    return this.#history.findLast(({ fromMs }) => fromMs <= atMs)?.names ?? [];
  }

  #record(names: readonly string[]): void {
    this.#history.push({ fromMs: this.runtime.now(), names });
  }
}

/** The same time on a clock that reads something else. */
function skewed(runtime: Runtime, byMs: number): Runtime {
  return {
    now: () => runtime.now() + byMs,
    setTimer: (callback, delayMs, options) => runtime.setTimer(callback, delayMs, options),
    random: () => runtime.random(),
  };
}
