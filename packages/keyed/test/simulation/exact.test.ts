import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createKeyed, type Keyed } from "../../src/index.ts";
import { type MadeCall, worstExcess } from "../support/history.ts";
import { FaultyLink, ProcessRuntime } from "../support/process.ts";

const FOR_MS = 40_000;

interface Running {
  readonly runtime: ProcessRuntime;
  readonly link: FaultyLink;
  readonly limits: Keyed;
  isKilled: boolean;
}

/** Processes about one key: they call, wait, lose answers and the store, stand still, and are killed. */
class World {
  readonly #runtime: VirtualRuntime;
  readonly #store: MemoryStore;
  readonly #limit: { rate: `${number}/s`; burst: number };
  readonly #ceiling: { rate: `${number}/s`; burst: number } | undefined;
  readonly calls: MadeCall[] = [];
  processes: Running[];

  constructor(seed: number) {
    this.#runtime = new VirtualRuntime({ seed });
    this.#store = new MemoryStore({ runtime: this.#runtime });
    const { random } = this;
    this.#limit = { rate: `${1 + random(20)}/s`, burst: 1 + random(20) };
    // Of every third world the key has a limit above it.
    this.#ceiling = seed % 3 === 0 ? { rate: `${1 + random(10)}/s`, burst: 20 } : undefined;
    this.processes = Array.from({ length: 1 + random(4) }, () => this.#start());
  }

  get bounds(): readonly [perSecond: number, burst: number][] {
    return [this.#limit, this.#ceiling].flatMap((limit) =>
      limit ? [[Number.parseFloat(limit.rate), limit.burst]] : [],
    );
  }

  readonly random = (below: number): number => Math.floor(this.#runtime.random() * below);

  async run(): Promise<void> {
    this.#faults();
    // Some processes are busier than others, and at some times.
    for (const index of this.processes.keys()) this.#calls(index, 5 + this.random(200));
    await this.#runtime.advance(FOR_MS + 5_000);
  }

  #start(): Running {
    const runtime = new ProcessRuntime(this.#runtime, this.random(1_000_000));
    const link = new FaultyLink(this.#store, this.#runtime, runtime);
    link.lost = this.random(3) * 0.05;
    const totals = this.#ceiling && createKeyed({ name: "totals", store: link, runtime, limit: this.#ceiling });
    const parent = totals && { parent: totals.for("all") };
    const limits = createKeyed({ name: "api", store: link, runtime, limit: this.#limit, ...parent });
    return { runtime, link, limits, isKilled: false };
  }

  #calls(index: number, meanMs: number): void {
    const nowMs = this.#runtime.now();
    if (nowMs > FOR_MS) return;
    const quiet = Math.floor(nowMs / 3_000 + index) % 4 === 0;
    this.#runtime.setTimer(
      () => {
        void this.#call(this.processes[index] as Running);
        this.#calls(index, meanMs);
      },
      this.#runtime.random() * 2 * meanMs * (quiet ? 20 : 1),
    );
  }

  async #call(process: Running): Promise<void> {
    if (process.runtime.isPaused || process.isKilled) return;
    const most = Math.floor(Math.min(this.#limit.burst, 3));
    const cost = this.random(4) === 0 ? 1 + this.random(most) : 1;
    const limiter = process.limits.for("k");
    const waits = this.random(10) === 0;
    const fromMs = this.#runtime.now();
    try {
      if (waits) await limiter.acquire(cost, { timeout: 1 + this.random(2_000), priority: this.random(3) });
      else if (!(await limiter.check(cost)).allowed) return;
    } catch {
      return;
    }
    if (process.isKilled) return;
    const atMs = this.#runtime.now();
    // What waits is granted at the instant at which it goes on, or a parent's answer later.
    this.calls.push({ fromMs: waits && !this.#ceiling ? atMs : fromMs, atMs, cost });
  }

  #faults(): void {
    for (let atMs = 0; atMs < FOR_MS; atMs += 500 + this.random(3_000))
      this.#runtime.setTimer(() => this.#fault(), atMs);
  }

  #fault(): void {
    const index = this.random(this.processes.length);
    const process = this.processes[index] as Running;
    const kind = this.random(4);
    if (kind === 0) process.runtime.pause(this.random(5_000));
    else if (kind === 1) {
      process.link.isDown = true;
      this.#runtime.setTimer(() => {
        process.link.isDown = false;
      }, this.random(4_000));
    } else if (kind === 2) {
      process.isKilled = true;
      process.runtime.pause(1e9);
      this.processes[index] = this.#start();
    } else
      void process.limits
        .for("k")
        .peek()
        .catch(() => undefined);
  }
}

describe("over a fleet with faults", () => {
  it("no window has more calls than the burst and what comes back in it", async () => {
    let made = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const world = new World(seed);
      await world.run();
      made += world.calls.length;
      for (const [perSecond, burst] of world.bounds)
        expect(worstExcess(world.calls, perSecond, burst), `seed ${seed}: ${perSecond}/s, burst ${burst}`).toBeLessThan(
          0.05,
        );
    }
    expect(made).toBeGreaterThan(5_000);
  });
});
