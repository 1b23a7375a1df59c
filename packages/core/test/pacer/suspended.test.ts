import { describe, expect, it } from "vitest";
import { createGroupedPacer, createPacer, MemoryStore, type PermitLedger } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const TTL_MS = 250;

/**
 * Two machines and a store, each with a clock of its own. While a machine is suspended its clock stands still, and time
 * goes on for the others: `sleep` moves the world on without it.
 */
class Machines {
  readonly world = new VirtualRuntime({ startMs: 1_000_000 });
  readonly sleeper = new VirtualRuntime({ startMs: 5_000, seed: 2 });
  readonly store = new MemoryStore({ runtime: this.world });
  /** World time of each call, of the machine that sleeps and of the other one. */
  readonly calls: { readonly who: string; readonly atMs: number }[] = [];
  /** How long the sleeper's messages are under way, there and back. */
  wayMs = 0;
  /** How much longer its answers are. */
  backMs = 0;
  readonly #link: PermitLedger = {
    reserve: async (...args) => {
      await this.#way(this.wayMs);
      const answer = await this.store.reserve(...args);
      await this.#way(this.wayMs + this.backMs);
      return answer;
    },
    release: (...args) => this.store.release(...args),
  };

  pacer(who: "sleeper" | "other") {
    const asleep = who === "sleeper";
    const store = asleep ? this.#link : this.store;
    const runtime = asleep ? this.sleeper : this.world;
    return createPacer({ name: "k", every: "200ms", permitTtl: TTL_MS, store, runtime });
  }

  group() {
    const sites = { own: { store: new MemoryStore({ runtime: this.world }) }, other: { store: this.#link } };
    return createGroupedPacer({ name: "k", every: "100ms", sites, site: "own", stealAfter: 0, runtime: this.sleeper });
  }

  /** Callers come one after the other's permit; what each uses is noted. */
  ask(who: "sleeper" | "other", callers: number): void {
    const pacer = this.pacer(who);
    for (let i = 0; i < callers; i++)
      void pacer.acquire().then(() => this.calls.push({ who, atMs: this.world.now() - 1_000_000 }));
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      await this.world.advance(10);
      await this.sleeper.advance(10);
    }
  }

  async sleep(ms: number): Promise<void> {
    this.sleeper.suspend(ms);
    await this.world.advance(ms);
  }

  #way(ms: number): Promise<void> | undefined {
    if (ms === 0) return undefined;
    return new Promise((resolve) => void this.sleeper.setTimer(resolve, ms));
  }

  /** The most calls within any second. */
  get worst(): number {
    const times = this.calls.map(({ atMs }) => atMs);
    return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
  }
}

describe("a machine that was suspended with permits in hand", () => {
  it("uses none of them late: they go back, and its callers wait for others, in their order", async () => {
    const machines = new Machines();
    machines.ask("sleeper", 20);
    await machines.pass(1_000);
    await machines.sleep(4_000);
    machines.ask("other", 40);
    await machines.pass(12_000);
    expect(machines.calls).toHaveLength(60);
    // Five a second, and one more that may be late by the life of a permit.
    expect(machines.worst).toBeLessThanOrEqual(6);
  });

  it("leaves those that are still to come to the others", async () => {
    const machines = new Machines();
    machines.ask("sleeper", 50);
    await machines.pass(1_000);
    await machines.sleep(3_000);
    await machines.pass(200);
    machines.ask("other", 1);
    await machines.pass(11_000);
    expect(machines.calls).toHaveLength(51);
    expect(machines.worst).toBeLessThanOrEqual(6);
  });

  it("takes no notice of an answer that was under way meanwhile", async () => {
    const machines = new Machines();
    machines.wayMs = 50;
    const pacer = machines.pacer("sleeper");
    const got = pacer.tryAcquire();
    await machines.pass(70);
    await machines.sleep(4_000);
    await machines.pass(100);
    expect(await got).toBeUndefined();
    machines.ask("sleeper", 1);
    await machines.pass(70);
    await machines.sleep(4_000);
    const wokeMs = machines.world.now() - 1_000_000;
    await machines.pass(300);
    // Asked again after waking: two ways later.
    expect(machines.calls.map(({ atMs }) => atMs)).toEqual([expect.toSatisfy((atMs: number) => atMs >= wokeMs + 100)]);
  });

  it("believes no answer that was under way meanwhile, also where a permit in hand noticed the sleep first", async () => {
    const machines = new Machines();
    machines.backMs = 100;
    // One is gone, one in hand, and an answer under way.
    machines.ask("sleeper", 3);
    await machines.pass(210);
    machines.sleeper.suspend(30_000);
    await machines.world.advance(29_500);
    machines.ask("other", 10);
    await machines.world.advance(500);
    await machines.pass(3_000);
    const times = machines.calls.map(({ atMs }) => atMs).sort((a, b) => a - b);
    const gaps = times.slice(1).map((atMs, i) => atMs - (times[i] as number));
    expect(machines.calls).toHaveLength(13);
    expect(Math.min(...gaps), `${times}`).toBeGreaterThanOrEqual(150);
  });

  it("does not take from another site with an answer that was under way meanwhile", async () => {
    const machines = new Machines();
    machines.wayMs = 50;
    const group = machines.group();
    const sites: string[] = [];
    for (let i = 0; i < 2; i++)
      group.acquire().then(
        ({ site }) => sites.push(site),
        () => undefined,
      );
    await machines.pass(70);
    await machines.sleep(4_000);
    await machines.pass(60);
    expect(sites).toEqual(["own"]);
    const closed = group.stop();
    await machines.pass(3_000);
    await closed;
  });
});
