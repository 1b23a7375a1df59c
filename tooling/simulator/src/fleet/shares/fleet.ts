import { createThrottle, type Grant, MemoryStore, type Throttle } from "@dt/core";
import { Random } from "../../random.ts";
import { Timeline } from "../engine/timeline.ts";
import { SimRuntime } from "../world/sim-runtime.ts";
import type { Arrivals } from "./arrivals.ts";
import type { Counts } from "./measures.ts";
import { nearStore } from "./near-store.ts";

/** How members of a fleet share. */
export interface Sharing {
  readonly name: string;
  readonly shares: "even" | "demand";
  readonly syncInterval: number | undefined;
}

export const SHARINGS: readonly Sharing[] = [
  { name: "even", shares: "even", syncInterval: undefined },
  { name: "demand", shares: "demand", syncInterval: undefined },
  { name: "demand-250", shares: "demand", syncInterval: 250 },
];

/** What a fleet goes through. Times in milliseconds since requests began. */
export interface FleetWorld {
  readonly sharing: Sharing;
  readonly max: number;
  readonly patienceMs: number;
  readonly arrivals: readonly Arrivals[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly seed: number;
}

/**
 * World time at which requests begin, on the store's clock the beginning of an epoch. Members join in the 2 s before.
 */
const BEGIN_MS = 4_000;
const JOINS_WITHIN_MS = 2_000;
/** What the store's clock shows when the world begins: whole epochs. */
const STORE_CLOCK_MS = 1_000_000_000;
export const EPOCH_MS = 1_000;
/** So much longer a world runs than it is measured, for clocks that are behind. */
const LATE_MS = 20;
/** Quartz clocks. */
const DRIFT = 2e-5;
/** So that nobody is refused before its patience ends. */
const MAX_WAITERS = 1_000_000;

/**
 * A fleet of real throttles on the real ledger in virtual time, with nothing in its way. What it is granted is counted
 * as its callers do: they wait as long as their patience lasts, or take what is there at once.
 */
export class DemandFleet {
  readonly #world: FleetWorld;
  readonly #timeline = new Timeline();
  readonly #granted: number[];
  readonly #epochs = new Map<number, number>();
  readonly #waits: number[][];
  #calls = 0;
  #shareChanges = 0;

  /** @param throttleOf makes a member's throttle: the real one unless a test spoils it */
  constructor(world: FleetWorld, throttleOf: typeof createThrottle = createThrottle) {
    this.#world = world;
    this.#granted = world.arrivals.map(() => 0);
    this.#waits = world.arrivals.map(() => []);
    const host = new Random(world.seed, "store");
    const clock = this.#runtime(host);
    const store = new MemoryStore({
      runtime: {
        now: () => STORE_CLOCK_MS + this.#timeline.nowMs,
        setTimer: (run, delayMs) => clock.setTimer(run, delayMs),
        random: () => host.next(),
      },
    });
    for (const member of world.arrivals.keys()) this.#join(throttleOf, store, member);
  }

  /** Runs it to the end. */
  async run(): Promise<Counts> {
    await this.#timeline.run(BEGIN_MS + this.#world.untilMs + LATE_MS);
    return {
      granted: this.#granted,
      waits: this.#waits,
      calls: this.#calls,
      shareChanges: this.#shareChanges,
      most: Math.max(0, ...this.#epochs.values()),
    };
  }

  #join(throttleOf: typeof createThrottle, store: MemoryStore, member: number): void {
    const { sharing, max, seed } = this.#world;
    const random = new Random(seed, `host ${member}`);
    const throttle = throttleOf({
      name: "fleet",
      max,
      store: nearStore(store, this.#timeline, random, () => {
        if (this.#counts) this.#calls += 1;
      }),
      shares: sharing.shares,
      ...(sharing.syncInterval !== undefined && { syncInterval: sharing.syncInterval }),
      maxWaiters: MAX_WAITERS,
      runtime: this.#runtime(random),
    });
    throttle.on("share", () => {
      if (this.#counts) this.#shareChanges += 1;
    });
    this.#timeline.at(BEGIN_MS - random.between(1_000, 1_000 + JOINS_WITHIN_MS), () => void throttle.start());
    this.#ask(throttle, member, 0);
  }

  /** Arms the next request of a member, which arms the one after it. */
  #ask(throttle: Throttle, member: number, index: number): void {
    const { arrivals, patienceMs } = this.#world;
    const atMs = arrivals[member]?.[index];
    if (atMs === undefined) return;
    this.#timeline.at(BEGIN_MS + atMs, () => {
      this.#ask(throttle, member, index + 1);
      if (patienceMs === 0) this.#count(member, atMs, throttle.tryAcquireGrant());
      else
        void throttle.acquireGrant(1, { timeout: patienceMs }).then(
          (grant) => this.#count(member, atMs, grant),
          () => undefined,
        );
    });
  }

  /** By the epoch that tokens belong to: clocks differ a little, and some begin one before the store does. */
  #count(member: number, askedMs: number, grant: Grant | undefined): void {
    if (!grant) return;
    const { fromMs, untilMs } = this.#world;
    const atMs = grant.epoch * EPOCH_MS - STORE_CLOCK_MS - BEGIN_MS;
    this.#epochs.set(grant.epoch, (this.#epochs.get(grant.epoch) ?? 0) + grant.tokens);
    if (atMs < fromMs || atMs >= untilMs) return;
    this.#granted[member] = (this.#granted[member] as number) + grant.tokens;
    this.#waits[member]?.push(this.#timeline.nowMs - BEGIN_MS - askedMs);
  }

  get #counts(): boolean {
    const atMs = this.#timeline.nowMs - BEGIN_MS;
    return atMs >= this.#world.fromMs && atMs < this.#world.untilMs;
  }

  #runtime(random: Random): SimRuntime {
    return new SimRuntime(this.#timeline, { deliver: (_kind, run) => run() }, random, DRIFT);
  }
}
