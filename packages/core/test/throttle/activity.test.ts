import { afterEach, describe, expect, it } from "vitest";
import {
  createThrottle,
  type Grant,
  type MemberSnapshot,
  MemoryStore,
  type Report,
  type Throttle,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SECOND = 1_000;

/** Members that the test drives; it counts itself what their calls were granted, in epochs of its own clock. */
class Fleet {
  readonly runtime = new VirtualRuntime({ seed: 5, startMs: 1_000_000_000 });
  readonly store = new MemoryStore({ runtime: this.runtime });
  readonly throttles: Throttle[] = [];
  readonly #counted = new Map<number, number>();

  get epoch(): number {
    return Math.floor(this.runtime.now() / SECOND);
  }

  async join(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
    const { runtime, store } = this;
    const throttle = createThrottle({ name: "g", max: 70, shares: "even", learning: 0, store, runtime, ...options });
    await throttle.start();
    this.throttles.push(throttle);
    return throttle;
  }

  ask(throttle: Throttle, tokens: number): void {
    const granted = throttle.tryAcquireUpTo(tokens);
    this.#counted.set(this.epoch, (this.#counted.get(this.epoch) ?? 0) + granted);
  }

  /** What the calls of all members were granted in an epoch. */
  countedIn(epoch: number): number {
    return this.#counted.get(epoch) ?? 0;
  }

  /** Lets epochs pass, up to this many milliseconds into the last; at each step all members ask for so many tokens. */
  async run(epochs: number, intoMs: number, stepMs: number, tokens: (place: number) => number): Promise<void> {
    const untilMs = (this.epoch + epochs) * SECOND + intoMs;
    while (this.runtime.now() < untilMs) {
      await this.runtime.advance(Math.min(stepMs, untilMs - this.runtime.now()));
      for (const [place, throttle] of this.throttles.entries()) this.ask(throttle, tokens(place));
    }
  }

  async members(): Promise<readonly MemberSnapshot[]> {
    return (await this.store.inspect("g")).members;
  }

  /** Until the next epoch has begun and every member has reported in it. */
  async reported(): Promise<readonly MemberSnapshot[]> {
    await this.runtime.advance((this.epoch + 1) * SECOND - this.runtime.now());
    for (const throttle of this.throttles) throttle.update({ max: 70 });
    await this.runtime.advance(300);
    return this.members();
  }
}

const sum = (members: readonly MemberSnapshot[]): number => members.reduce((all, { used = 0 }) => all + used, 0);

let fleet: Fleet;

afterEach(async () => {
  await Promise.all(fleet.throttles.map((throttle) => throttle.stop()));
});

describe("a snapshot of a group", () => {
  it("in which all want more than there is has used together what their callers were granted in an epoch, whenever it is taken", async () => {
    fleet = new Fleet();
    for (let i = 0; i < 7; i++) await fleet.join({ release: "even" });
    const all = () => 3;
    await fleet.run(5, 0, 10, all);
    for (let time = 0; time < 20; time++) {
      await fleet.run(1, 50 * time, 10, all);
      const epoch = fleet.epoch - 1;
      expect([fleet.countedIn(epoch - 1), fleet.countedIn(epoch)]).toEqual([70, 70]);
      expect(sum(await fleet.members()), `${50 * time} ms into an epoch`).toBe(70);
    }
  });

  it("says of each what its callers were granted in the epoch that was over, however little that is", async () => {
    fleet = new Fleet();
    for (let i = 0; i < 7; i++) await fleet.join();
    await fleet.run(3, 0, 10, () => 1);
    await fleet.reported();
    for (const [place, throttle] of fleet.throttles.entries()) fleet.ask(throttle, place + 1);
    const epoch = fleet.epoch;
    const members = await fleet.reported();
    expect(fleet.countedIn(epoch)).toBe(1 + 2 + 3 + 4 + 5 + 6 + 7);
    expect(members.map(({ used }) => used)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await fleet.reported()).map(({ used }) => used)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});

describe("what a member says of itself", () => {
  it("was not used that came back while its epoch lasted", async () => {
    fleet = new Fleet();
    const throttle = await fleet.join();
    await fleet.reported();
    const grant = throttle.tryAcquireGrant(20) as Grant;
    grant.deposit(5);
    grant.deposit(3);
    const [member] = await fleet.reported();
    expect(member).toMatchObject({ used: 12, waiting: 0 });
    grant.deposit(12);
    expect(await fleet.members()).toMatchObject([{ used: 12 }]);
  });

  it("has used nothing after an epoch in which nobody asked, or none was granted", async () => {
    fleet = new Fleet();
    const throttle = await fleet.join();
    await fleet.reported();
    throttle.tryAcquireUpTo(9);
    await fleet.reported();
    throttle.tryAcquireUpTo(20);
    expect(await fleet.reported()).toMatchObject([{ used: 20 }]);
    for (let epoch = 0; epoch < 3; epoch++) expect(await fleet.reported()).toMatchObject([{ used: 0 }]);
  });

  it("is the same whether somebody has asked in the new epoch by then or not", async () => {
    fleet = new Fleet();
    const throttle = await fleet.join();
    await fleet.reported();
    throttle.tryAcquireUpTo(20);
    await fleet.runtime.advance((fleet.epoch + 1) * SECOND - fleet.runtime.now());
    expect(throttle.tryAcquireUpTo(7)).toBe(7);
    throttle.update({ max: 70 });
    await fleet.runtime.advance(300);
    expect(await fleet.members()).toMatchObject([{ used: 20 }]);
  });

  it("waits for as many tokens as its callers still want, not for as many as there are callers", async () => {
    fleet = new Fleet();
    const throttle = await fleet.join();
    await fleet.reported();
    throttle.tryAcquireUpTo(70);
    const over = new AbortController();
    const { signal } = over;
    const waits = [5, 40, 200].map((tokens) => throttle.acquireUpTo(tokens, { signal }).catch(() => 0));
    throttle.update({ max: 70 });
    await fleet.runtime.advance(300);
    expect(await fleet.members()).toMatchObject([{ waiting: 245 }]);
    over.abort();
    await Promise.all(waits);
    expect(await fleet.reported()).toMatchObject([{ used: 70, waiting: 0 }]);
  });

  it("is never more than a store takes, so that no report is refused for it", async () => {
    fleet = new Fleet();
    const reports: Report[] = [];
    const sync = fleet.store.sync.bind(fleet.store);
    fleet.store.sync = (group, member, report) => {
      reports.push(report);
      return sync(group, member, report);
    };
    const throttle = await fleet.join({ maxWaiters: 2_000 });
    throttle.tryAcquireUpTo(70);
    const over = new AbortController();
    const { signal } = over;
    const waits = Array.from({ length: 600 }, () => throttle.acquireUpTo(2 ** 31 - 1, { signal }).catch(() => 0));
    throttle.update({ max: 70 });
    await fleet.runtime.advance(300);
    expect(reports.at(-1)?.activity).toMatchObject({ waiting: 1e12 });
    expect(throttle.status().lastError).toBeUndefined();
    over.abort();
    await Promise.all(waits);
  });
});
