import type { Scenario } from "@dt-tooling/simulator/fleet";
import { describe, expect, it } from "vitest";
import { epochsUntil, expectEveryEpochWithin, fleet } from "./support/scenario.ts";

/** Lets time pass, a little at a time, until a condition holds. */
async function passUntil(scenario: Scenario, condition: () => boolean): Promise<void> {
  const fromMs = scenario.nowMs;
  while (!condition()) {
    await scenario.pass(5);
    if (scenario.nowMs > fromMs + 30_000 || scenario.violations.length > 0)
      throw new Error(`not so after ${scenario.nowMs - fromMs} ms; ${JSON.stringify(scenario.violations)}`);
  }
}

describe("a message that arrives very late", () => {
  it("makes a removed process a member again, whose share ended while it waited for an answer: it starts anew, in the next epoch", async () => {
    // A deadline so long that an answer may come after the share has ended and was given to others.
    const scenario = fleet({ max: 99, storeTimeoutMs: 20_000, hints: true });
    const { store } = scenario.world;
    const receive = store.receive.bind(store);
    const underWay: Parameters<typeof receive>[0][] = [];
    let late = false;
    store.receive = (request) => {
      if (request.label === "a#1 register" || (late && request.label === "a#1 sync")) underWay.push(request);
      if (!late || request.label !== "a#1 sync") receive(request);
    };
    const a = scenario.join("a");
    const others = [scenario.join("b"), scenario.join("c")];
    await epochsUntil(scenario, () => scenario.granted(scenario.epoch) === 99);

    // Refused until its share has almost ended; then a request gets through to the network, and stays there for long.
    scenario.happen({ kind: "cut", member: "a", how: "refused", forMs: 60_000 });
    await passUntil(scenario, () => scenario.status(a).validForMs < 1_100);
    late = true;
    scenario.world.link("a").heal();
    await passUntil(scenario, () => underWay.length === 2);
    expect(scenario.status(a).validForMs).toBeGreaterThan(0);
    // The others are given its share, and use it. Then, early in an epoch, what it sent when it joined arrives once
    // more.
    await passUntil(scenario, () => others.every((other) => scenario.granted(scenario.epoch, other) >= 49));
    await scenario.passToEpochEnd();
    await scenario.pass(50);
    const [registration, sync] = underWay;
    if (registration) receive(registration);
    // Told of it, the others lower their shares; what they no longer use is free when its last request arrives at last.
    await passUntil(scenario, () => (store.table.group()?.held ?? 99) <= 67);
    late = false;
    if (sync) receive(sync);
    await scenario.pass(20_000);
    expectEveryEpochWithin(scenario, 99);
    expect(scenario.granted(scenario.epoch - 1, a)).toBe(33);
  });
});
