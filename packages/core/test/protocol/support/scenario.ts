import { Scenario } from "@dt-tooling/simulator/fleet";
import { expect } from "vitest";

type SettingsOfScenario = ConstructorParameters<typeof Scenario>[0];

/**
 * A fleet in the simulator, where every rule is checked all along: `max` 100 and everything else by default, callers
 * that take all they can.
 */
export function fleet(settings: SettingsOfScenario = {}): Scenario {
  return new Scenario(settings);
}

/** Nothing was violated, and no epoch so far had more than `max` tokens, counted here once more. */
export function expectEveryEpochWithin(scenario: Scenario, max: number): void {
  expect(scenario.violations).toEqual([]);
  expect(scenario.epochs.length).toBeGreaterThan(0);
  for (const { epoch, peak, byProcess } of scenario.epochs) {
    expect(peak, `epoch ${epoch}`).toBeLessThanOrEqual(max);
    expect(peak).toBeGreaterThanOrEqual([...byProcess.values()].reduce((sum, tokens) => sum + tokens, 0));
  }
}

/** Lets time pass until a condition holds at the end of an epoch; returns how many epochs that took. */
export async function epochsUntil(scenario: Scenario, condition: () => boolean, most = 30): Promise<number> {
  for (let epochs = 0; epochs <= most; epochs++) {
    await scenario.passToEpochEnd();
    if (condition()) return epochs;
    await scenario.pass(10);
  }
  throw new Error(`not within ${most} epochs`);
}
