import { describe, expect, it } from "vitest";
import { createThrottle, DtError, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** What becomes of a report during the outage. */
type Fate = "refused" | "unanswered" | "taken in, unanswered";

/** A store that can be away. */
class Faulty extends MemoryStore {
  fate: Fate | undefined;
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime, demandMembers?: number) {
    super({ runtime });
    this.#runtime = runtime;
    if (demandMembers) Object.assign(this, { capabilities: { ...this.capabilities, demandMembers } });
  }

  override async sync(...args: Parameters<MemoryStore["sync"]>): ReturnType<MemoryStore["sync"]> {
    const { fate } = this;
    const answer = fate === undefined || fate === "taken in, unanswered" ? await super.sync(...args) : undefined;
    if (answer && fate === undefined) return answer;
    if (fate !== "refused") await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, 10_000));
    throw new DtError("DT_STORE_UNAVAILABLE", "the store is away");
  }
}

/** Five members by demand, of which the first wants everything and the others a call now and then. */
class Fleet {
  readonly runtime: VirtualRuntime;
  readonly store: Faulty;
  readonly throttles: Throttle[];
  readonly #perEpoch = new Map<number, number>();
  #goesOn = true;

  constructor(seed: number, options: Partial<ThrottleOptions>, demandMembers?: number) {
    this.runtime = new VirtualRuntime({ seed, startMs: 1_000_000_000 });
    this.store = new Faulty(this.runtime, demandMembers);
    const { runtime, store } = this;
    const shared = { name: "g", max: 980, shares: "demand", store, runtime, ...options } as const;
    this.throttles = Array.from({ length: 5 }, () => createThrottle(shared));
    for (const throttle of this.throttles)
      throttle.on("grant", ({ epoch, tokens }) => this.#perEpoch.set(epoch, this.grantedIn(epoch) + tokens));
  }

  /** Starts, and lets its callers ask for so many tokens at once. */
  async begin(cost: number): Promise<void> {
    const started = Promise.all(this.throttles.map((throttle) => throttle.start()));
    await this.runtime.advance(3_000);
    await started;
    for (const [place, perSecond] of [40, 1.4, 0.4, 0.1, 0.1].entries()) this.#call(place, perSecond, cost);
    await this.runtime.advance(15_000);
  }

  #call(place: number, perSecond: number, cost: number): void {
    const call = (this.throttles[place] as Throttle).wrap(async () => undefined, { cost });
    if (place === 0) {
      const again = (): void => void (this.#goesOn && call().then(again, () => undefined));
      for (let lane = 0; lane < perSecond; lane++) again();
      return;
    }
    const gapMs = (): number => -Math.log(1 - this.runtime.random()) * (1_000 / perSecond);
    const next = (): void => {
      if (!this.#goesOn) return;
      call().catch(() => undefined);
      this.runtime.setTimer(next, gapMs());
    };
    this.runtime.setTimer(next, gapMs());
  }

  grantedIn(epoch: number): number {
    return this.#perEpoch.get(epoch) ?? 0;
  }

  /** Tokens granted in so many epochs from this one on. */
  granted(epoch: number, epochs: number): number {
    return Array.from({ length: epochs }, (_, i) => this.grantedIn(epoch + i)).reduce((sum, tokens) => sum + tokens);
  }

  get epoch(): number {
    return (this.throttles[0] as Throttle).status().epoch as number;
  }

  get held(): number[] {
    return this.throttles.map((throttle) => throttle.status().held);
  }

  get most(): number {
    return Math.max(...this.#perEpoch.values());
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    this.store.fate = undefined;
    const stopped = Promise.all(this.throttles.map((throttle) => throttle.stop()));
    await this.runtime.advance(5_000);
    await stopped;
  }
}

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

describe("an outage shorter than validity, by demand", () => {
  it.each<Fate>(["refused", "unanswered", "taken in, unanswered"])(
    "takes from no member what it held: reports are %s",
    async (fate) => {
      for (const seed of SEEDS) {
        const fleet = new Fleet(seed, {});
        await fleet.begin(100);
        await fleet.runtime.advance(seed * 137);
        const before = fleet.held;
        fleet.store.fate = fate;
        await fleet.runtime.advance(6_000);
        expect(fleet.held, `seed ${seed}`).toEqual(before);
        await fleet.end();
        expect(fleet.most).toBeLessThanOrEqual(980);
      }
    },
  );

  it("costs at most what is on its way as it begins, and what is held for calls that are served soon", async () => {
    let [before, during] = [0, 0];
    for (let seed = 1; seed <= 24; seed++) {
      const fleet = new Fleet(seed, {});
      await fleet.begin(100);
      const { epoch } = fleet;
      fleet.store.fate = "refused";
      await fleet.runtime.advance(6_000);
      before += fleet.granted(epoch - 5, 5);
      during += fleet.granted(epoch + 1, 5);
      await fleet.end();
    }
    expect(during / before).toBeGreaterThan(0.8);
  });

  it.each([undefined, 100])("leaves a token that takes turns where it is, a store for %s members", async (members) => {
    for (const seed of SEEDS) {
      const fleet = new Fleet(seed, { max: 3 }, members);
      await fleet.begin(1);
      await fleet.runtime.advance(seed * 137);
      const before = fleet.held;
      fleet.store.fate = "refused";
      await fleet.runtime.advance(6_000);
      expect(fleet.held, `seed ${seed}`).toEqual(before);
      await fleet.end();
    }
  });

  it("is over with the first answer: what others are due is given up then", async () => {
    const fleet = new Fleet(3, {});
    await fleet.begin(100);
    fleet.store.fate = "refused";
    await fleet.runtime.advance(6_000);
    fleet.store.fate = undefined;
    await fleet.runtime.advance(3_000);
    expect(fleet.granted(fleet.epoch - 1, 1)).toBeGreaterThan(0.9 * 980);
    await fleet.end();
    expect(fleet.most).toBeLessThanOrEqual(980);
  });
});
