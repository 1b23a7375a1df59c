import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type Registration, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/**
 * A store that loses its data when told. Somebody else is then there first; and answers to registrations take their
 * time.
 */
class ForgetfulStore extends MemoryStore {
  readonly claims: number[] = [];
  reports: number[] = [];
  readonly #runtime: VirtualRuntime;
  #inner: MemoryStore;
  #lost = false;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
    this.#inner = new MemoryStore({ runtime });
  }

  loseData(): void {
    this.#inner = new MemoryStore({ runtime: this.#runtime });
    this.#lost = true;
  }

  override async register(group: string, registration: Registration): Promise<View> {
    this.claims.push(registration.claim);
    if (!this.#lost) return this.#inner.register(group, registration);
    const other = { ...registration, id: "other", incarnation: "other", claim: 0, seq: 1, rejoin: false };
    await this.#inner.register(group, other);
    const answer = await this.#inner.register(group, registration);
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, 2_200));
    this.reports = [];
    return answer;
  }

  override sync(...[group, member, report]: Parameters<MemoryStore["sync"]>): Promise<View> {
    this.reports.push(report.held);
    return this.#inner.sync(group, member, report);
  }
}

it("what a store made of a claim is no raise for a share that ended while the registration was under way", async () => {
  const runtime = new VirtualRuntime();
  const store = new ForgetfulStore(runtime);
  const timing = { syncInterval: "1s", validity: "3s", staleAfter: "5s", storeTimeout: "3s", learning: 0 } as const;
  const throttle = createThrottle({ name: "g", max: 12, store, runtime, shares: "even", ...timing });
  const started = throttle.start();
  await runtime.advance(2_500);
  await started;
  expect(throttle.tryAcquireUpTo(100)).toBe(12);
  store.loseData();
  await runtime.advance(2_400);
  expect(store.claims).toEqual([0, 12]);
  expect(throttle.tryAcquireUpTo(100)).toBe(0);
  await runtime.advance(1_000);
  // The other one was given everything when it came.
  expect(store.reports[0]).toBe(0);
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await stopped;
});
