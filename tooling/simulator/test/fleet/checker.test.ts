import { beforeEach, describe, expect, it } from "vitest";
import { checkAgreement, checkSettled, checkUtilisation } from "../../src/fleet/check/liveness.ts";
import { Scenario } from "../../src/fleet/scenario.ts";
import type { SimProcess } from "../../src/fleet/world/sim-process.ts";

/** Two members without callers that agree on 100 tokens, halfway through an epoch; then something is forged. */
let scenario: Scenario;
let a: SimProcess;
let b: SimProcess;

beforeEach(async () => {
  scenario = new Scenario();
  a = scenario.join("a", "idle");
  b = scenario.join("b", "idle");
  await scenario.pass(10_000);
  await scenario.passToEpochEnd();
  await scenario.pass(500);
  expect(scenario.status(a)).toMatchObject({ agreed: true, members: 2, share: 50 });
  expect(scenario.violations).toEqual([]);
});

function rules(): readonly string[] {
  return scenario.violations.map((violation) => violation.rule);
}

describe("the checker catches a forged", () => {
  it("epoch above max, and lets a full one pass", () => {
    const { checker } = scenario.world;
    checker.granted(a, scenario.epoch, 50);
    checker.granted(b, scenario.epoch, 50);
    expect(rules()).toEqual([]);
    checker.granted(b, scenario.epoch, 1);
    expect(rules()).toContain("epoch-sum");
  });

  it("grant beyond what the store has recorded", () => {
    scenario.world.checker.granted(a, scenario.epoch, 51);
    expect(rules()).toContain("granted-beyond-record");
  });

  it("grant that counts on a raise before its epoch", async () => {
    await scenario.passToEpochEnd();
    await scenario.pass(10);
    const { epoch } = scenario;
    expect(b.throttle.tryAcquireUpTo(10)).toBe(10);
    scenario.happen({ kind: "stop", member: "b" });
    while (a.lastView?.held !== 100) await scenario.pass(10);
    expect(scenario.epoch).toBe(epoch);
    // Of the raise to 100, what was not used starts in this epoch, and the rest with the next.
    scenario.world.checker.granted(a, epoch, 90);
    expect(rules()).toEqual([]);
    scenario.world.checker.granted(a, epoch, 1);
    expect(rules()).toContain("raise-too-early");
  });

  it("grant beyond what it gave up, used, and was given again", () => {
    const { checker } = scenario.world;
    const view = { ...(a.lastView as NonNullable<SimProcess["lastView"]>), status: "disagree" as const };
    checker.granted(a, scenario.epoch, 50);
    checker.reports(a, 20);
    checker.answered(a, { ...view, held: 20, entitled: 20 }, false);
    checker.reports(a, 20);
    checker.answered(a, { ...view, held: 30, entitled: 30, early: 10, fromEpoch: scenario.epoch + 1 }, false);
    checker.granted(a, scenario.epoch, 10);
    expect(rules()).toEqual([]);
    checker.granted(a, scenario.epoch, 1);
    expect(rules()).toContain("raise-too-early");
  });

  it("grant in an epoch that is over", () => {
    const { checker } = scenario.world;
    checker.granted(a, scenario.epoch, 1);
    checker.granted(a, scenario.epoch - 1, 1);
    expect(rules()).toContain("epoch-back");
  });

  it("epoch number that the store's clock has not reached", () => {
    scenario.world.checker.granted(a, scenario.epoch + 2, 1);
    expect(rules()).toEqual(["epoch-label"]);
  });

  it("token with two owners", () => {
    const { checker } = scenario.world;
    checker.granted(a, scenario.epoch, 1);
    const view = { ...(a.lastView as NonNullable<SimProcess["lastView"]>) };
    checker.answered(b, { ...view, status: "disagree" }, false);
    checker.answered(b, { ...view, status: "agree", storeTimeMs: view.storeTimeMs - 5_000 }, false);
    checker.granted(b, scenario.epoch, 1);
    expect(rules()).toContain("token-owner");
  });

  it("share used past its validity", async () => {
    scenario.happen({ kind: "cut", member: "a", how: "silent", forMs: 60_000 });
    await scenario.pass(8_000);
    scenario.world.checker.granted(a, scenario.epoch, 1);
    expect(rules()).toEqual(["validity"]);
  });

  it("grant after the stop", async () => {
    scenario.happen({ kind: "stop", member: "a" });
    scenario.world.checker.granted(a, scenario.epoch, 1);
    expect(rules()).toContain("granted-after-stop");
  });

  it("token that is granted again in another epoch than its own, and lets one pass in its own", async () => {
    const { checker } = scenario.world;
    checker.granted(a, scenario.epoch, 50);
    checker.granted(b, scenario.epoch, 50);
    checker.gaveBack(b, scenario.epoch, 10);
    checker.granted(b, scenario.epoch, 10);
    expect(rules()).toEqual([]);
    const before = scenario.epoch;
    await scenario.pass(1_000);
    checker.granted(a, scenario.epoch, 50);
    checker.granted(b, scenario.epoch, 50);
    checker.gaveBack(b, before, 10);
    checker.granted(b, scenario.epoch, 10);
    expect(rules()).toContain("epoch-sum");
  });

  it("token that its holder gave back, but that was not taken: it may as well have been used", () => {
    const { checker } = scenario.world;
    checker.granted(a, scenario.epoch, 50);
    checker.granted(b, scenario.epoch, 50);
    checker.gaveBack(b, scenario.epoch, 10);
    checker.lost(b, scenario.epoch, 10);
    expect(rules()).toEqual([]);
    checker.gaveBack(b, scenario.epoch, 10);
    checker.granted(b, scenario.epoch, 1);
    checker.lost(b, scenario.epoch, 10);
    expect(rules()).toContain("epoch-sum");
  });

  it("return of more than was granted, a batch beyond its grant, and a count that differs from what callers got", () => {
    const { checker } = scenario.world;
    checker.gaveBack(a, scenario.epoch, 1);
    expect(rules()).toEqual(["grant-count"]);
    checker.granted(b, scenario.epoch, 3);
    checker.batched(b, 4);
    expect(rules()).toEqual(["grant-count", "grant-count"]);
    b.returned = 0;
    checker.checkCount(b);
    expect(rules()).toEqual(["grant-count", "grant-count", "grant-count"]);
  });

  it("member that should be there and is not, and tokens that nobody granted", () => {
    checkUtilisation(scenario.world, scenario.epoch);
    expect(rules()).toEqual(["utilisation"]);
    scenario.world.store.loseData();
    checkAgreement(scenario.world);
    expect(rules()).toEqual(["utilisation", "liveness"]);
  });

  it("call that never settles", () => {
    a.pending += 1;
    checkSettled(scenario.world, false);
    expect(rules()).toEqual(["hanging"]);
  });

  it("row of the ledger: a sum, a rank, a generation, a time", async () => {
    const { table } = scenario.world.store;
    const group = table.group();
    if (!group) throw new Error("the group has a row");
    table.putGroup({ ...group, held: group.held + 1 });
    await scenario.pass(1_000);
    expect(rules()).toEqual(["ledger-rows"]);
  });
});
