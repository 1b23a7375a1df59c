import { beforeAll, describe, expect, it } from "vitest";
import { LargeFleet, type PhaseReport } from "../../src/fleet/scale/fleet.ts";

const SIZE = 200;
const MAX = 10 * SIZE;

/** The soak's `--scale` in small: the same changes, one after the other, of a fleet whose callers take all they can. */
describe("two hundred members", () => {
  const fleet = new LargeFleet({ max: MAX }, 1);
  let storm: PhaseReport;
  let restart: PhaseReport;
  let loss: PhaseReport;

  beforeAll(async () => {
    await fleet.grow("ten", 10, 1_000);
    storm = await fleet.grow("storm", SIZE, 20_000);
    restart = await fleet.rollingRestart("restart", 20_000);
    loss = await fleet.loseHalf("loss");
  });

  it("never exceed max, whatever they go through", () => {
    expect(fleet.scenario.violations).toEqual([]);
    for (const { worstEpoch } of [storm, restart, loss]) expect(worstEpoch).toBe(MAX);
  });

  it("join a running ten within 20 s: most tokens are granted meanwhile, and all of them soon after", () => {
    expect(storm.members).toBe(SIZE);
    expect(storm.utilisationMeanwhile).toBeGreaterThan(0.9);
    expect(storm.epochsUntilFull).toBeLessThanOrEqual(3);
  });

  it("restart one after the other within 20 s: hardly anything is lost", () => {
    expect(restart.members).toBe(SIZE);
    expect(restart.utilisationMeanwhile).toBeGreaterThan(0.9);
    expect(restart.epochsUntilFull).toBeLessThanOrEqual(3);
  });

  it("lose half of them at once: the others grant everything once the dead are stale", () => {
    expect(loss.members).toBe(SIZE / 2);
    // The stale age is ten epochs; three syncs more until all agree.
    expect(loss.epochsUntilFull).toBeGreaterThan(8);
    expect(loss.epochsUntilFull).toBeLessThanOrEqual(14);
  });

  it("call the store a few times a second at most, also while the membership changes all the time", () => {
    for (const { mostSyncsPerSecondPerMember } of [storm, restart, loss])
      expect(mostSyncsPerSecondPerMember).toBeLessThan(15);
  });
});
