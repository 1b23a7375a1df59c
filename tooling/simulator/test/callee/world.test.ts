import { describe, expect, it } from "vitest";
import { idealOf, judge, scenarioNamed, scenarios } from "../../src/callee/index.ts";
import { atMost, open, runWith, scenario } from "./support.ts";

const CALLEE = { servers: 4, service: { kind: "exponential", meanMs: 40 } } as const;

describe("the world of the callee", () => {
  it("is the same again with the same seed, and another with another", () => {
    const world = scenario(CALLEE, open(150), { timeoutMs: 500 });
    const once = runWith(world, 7, () => atMost(6));
    expect(runWith(world, 7, () => atMost(6))).toStrictEqual(once);
    expect(runWith(world, 8, () => atMost(6)).counts).not.toEqual(once.counts);
  });

  it("gives every limiter the same calls at the same times", () => {
    const world = scenario(CALLEE, open(150));
    expect(runWith(world, 7, () => atMost(2)).arrived).toStrictEqual(runWith(world, 7, () => atMost(20)).arrived);
  });

  it("does work that timed out all the same, unless calls are cancelled", () => {
    const overload = { seconds: 60, timeoutMs: 200 };
    const stubborn = runWith(scenario(CALLEE, open(200), overload));
    const cancelling = runWith(scenario(CALLEE, open(200), { ...overload, cancels: true }));
    // Behind a queue that only grows, every answer comes too late.
    expect(stubborn.counts.succeeded).toBeLessThan(100);
    expect(stubborn.running.mean).toBeCloseTo(4, 2);
    // 100 calls a second is what the servers can do; some of their work is cut off.
    expect(cancelling.counts.succeeded / 50).toBeGreaterThan(75);
    expect(cancelling.waiting.mean).toBeLessThan(40);
  });

  it("has room again in a bounded queue for each call that was cancelled there", () => {
    // In a pause of a second 200 calls come, of which only the 40 of the last 200 ms have not been given up.
    const callee = { ...CALLEE, queue: 90, pauses: { everyMs: 2_000, lastMs: 1_000 } };
    const { counts } = runWith(scenario(callee, open(200), { seconds: 60, timeoutMs: 200, cancels: true }));
    expect(counts.timedOut).toBeGreaterThan(1_000);
    expect(counts.refused).toBe(0);
  });

  it("answers 429 at once when the queue is full", () => {
    const book = runWith(scenario({ ...CALLEE, queue: 10 }, open(200)));
    const { sent, refused, succeeded } = book.counts;
    expect(refused / sent).toBeCloseTo(0.5, 1);
    expect(succeeded / 90).toBeGreaterThan(97);
    expect(book.waiting.mean).toBeLessThan(10);
  });

  it("lets calls fail at once without a server", () => {
    const book = runWith(scenario({ ...CALLEE, failures: 0.5 }, open(100)));
    expect(book.counts.failed / book.counts.sent).toBeCloseTo(0.5, 1);
    expect(book.running.mean).toBeCloseTo(2, 0);
  });

  it("refuses everybody during an outage", () => {
    const outage = [
      { atSeconds: 20, refusals: 1 },
      { atSeconds: 40, refusals: 0 },
    ];
    const book = runWith(
      scenario({ ...CALLEE, changes: outage }, open(50), { seconds: 60, measured: { fromSeconds: 20, toSeconds: 40 } }),
    );
    expect(book.counts.refused / book.counts.sent).toBeCloseTo(1, 2);
    expect(book.answered.slice(420).reduce((sum, cost) => sum + cost, 0)).toBeGreaterThan(700);
  });

  it("takes so many times as long when it is slow, and has as many servers as it has at the time", () => {
    const changes = [
      { atSeconds: 30, slower: 3 },
      { atSeconds: 60, slower: 1, servers: 20 },
    ];
    const world = scenario({ ...CALLEE, servers: 40, changes }, open(3_000), {
      seconds: 90,
      measured: { fromSeconds: 5, toSeconds: 90 },
    });
    const book = runWith(world, 1, () => atMost(60));
    const rate = (from: number, to: number): number =>
      book.answered.slice(10 * from, 10 * to).reduce((sum, cost) => sum + cost, 0) / (to - from);
    expect(rate(10, 30) / 1_000).toBeCloseTo(1, 1);
    expect((3 * rate(32, 60)) / 1_000).toBeCloseTo(1, 1);
    expect((2 * rate(62, 90)) / 1_000).toBeCloseTo(1, 1);
  });

  it("stands still in pauses: what was running ends so much later, and nothing begins", () => {
    const pauses = { everyMs: 1_000, lastMs: 250 };
    const world = scenario({ servers: 4, service: { kind: "fixed", ms: 400 }, pauses }, open(100), { seconds: 600 });
    const { latencyMs } = runWith(world, 1, () => atMost(4));
    const undisturbed = latencyMs.values.filter((latency) => Math.round(latency) === 402).length / latencyMs.size;
    // No pause in its 400 ms. It rarely begins in one, since whoever is at work then stays there.
    expect(undisturbed).toBeCloseTo(Math.exp(-0.4), 1);
    const onceHeldUp = latencyMs.values.filter((latency) => Math.round(latency) === 652).length / latencyMs.size;
    expect(onceHeldUp).toBeGreaterThan(0.1);
  });

  it("loses to pauses what the ideal says", () => {
    const pauses = { everyMs: 1_000, lastMs: 250 };
    const world = scenario({ servers: 4, service: { kind: "fixed", ms: 40 }, pauses }, open(1_000), { seconds: 200 });
    const { goodput } = judge(
      world,
      idealOf(world),
      runWith(world, 1, () => atMost(6)),
    );
    expect(goodput).toBeCloseTo(1, 1);
  });

  it("slows down under concurrency: most goodput is had below what it would take", () => {
    const callee = { servers: 100, service: { kind: "fixed", ms: 10 }, contention: 0.02, coherence: 0.005 } as const;
    const perSecond = (limit: number): number =>
      runWith(scenario(callee, open(2_500), { seconds: 30 }), 1, () => atMost(limit)).counts.succeeded / 20;
    const [few, best, many] = [perSecond(4), perSecond(14), perSecond(80)];
    expect(best).toBeGreaterThan(1.15 * few);
    expect(best).toBeGreaterThan(1.5 * many);
    const world = scenario(callee, open(2_500));
    expect((idealOf(world).capacity[0] as number) / best).toBeCloseTo(1, 1);
  });

  it("gives a call of cost 3 three servers, and judges by cost", () => {
    const costly = {
      cost: [
        { cost: 1, share: 0.5 },
        { cost: 3, share: 0.5 },
      ],
      load: { kind: "open", perSecond: 200 },
    } as const;
    const world = scenario({ servers: 40, service: { kind: "exponential", meanMs: 40 } }, costly);
    const book = runWith(world);
    // 200 calls a second of cost 2 that take 40 ms each.
    expect(book.running.mean).toBeCloseTo(16, 0);
    expect(judge(world, idealOf(world), book).goodput).toBeCloseTo(1, 1);
  });

  it("sends later clients later, over their own distance", () => {
    const world = {
      ...scenario({ servers: 4, service: { kind: "fixed", ms: 10 } }, open(10)),
      clients: [open(10), { ...open(10), startSeconds: 50, roundTripMs: 100 }],
    };
    const book = runWith(world);
    const distances = new Set(book.latencyMs.values.map(Math.round));
    expect(distances).toContain(12);
    expect(distances).toContain(110);
    const first = book.latencyMs.values.findIndex((latency) => latency > 100);
    expect(book.repliedMs.values[first]).toBeGreaterThan(50_000);
  });

  it("knows its scenarios by name and by number", () => {
    const codes = [
      ...["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "F1", "T1", "O1", "O2", "O3", "O4", "O5"],
      ...["W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"],
      ...["E1", "E2", "E3", "E4", "E5"],
    ];
    expect(scenarios.map(({ title }) => title.split(":")[0])).toEqual(codes);
    expect(scenarioNamed("s3")).toBe(scenarioNamed("burst"));
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(codes.length);
    expect(scenarioNamed("S10")).toBeUndefined();
  });
});
