import { describe, expect, it } from "vitest";
import { expectEveryEpochWithin, fleet } from "./support/scenario.ts";

/** Divides among two and three. */
const MAX = 120;

/** Members that ask for nothing by themselves, agree, and hear of changes at once; an epoch has just begun. */
async function agreed(...names: string[]) {
  const scenario = fleet({ max: MAX, hints: true });
  const members = names.map((name) => scenario.join(name, "idle"));
  await scenario.pass(5_000);
  await scenario.passToEpochEnd();
  await scenario.pass(10);
  for (const member of members) expect(scenario.status(member)).toMatchObject({ agreed: true });
  return { scenario, members, epoch: scenario.epoch };
}

describe("tokens that nobody has used in the epoch that runs", () => {
  it("are a newcomer's first, as soon as the others have given them up", async () => {
    const { scenario, members, epoch } = await agreed("a", "b");
    for (const member of members) expect(member.throttle.tryAcquireUpTo(20)).toBe(20);
    const newcomer = scenario.join("c");
    await scenario.pass(900);
    expect(scenario.epoch).toBe(epoch);
    expect(scenario.granted(epoch, newcomer)).toBe(40);
    for (const member of members) expect(member.throttle.tryAcquireUpTo(MAX)).toBe(20);
    expectEveryEpochWithin(scenario, MAX);
  });

  it("are the others' when a member leaves; what it has used is nobody's any more", async () => {
    const { scenario, members, epoch } = await agreed("a", "b");
    const [a, b] = members;
    expect(b?.throttle.tryAcquireUpTo(10)).toBe(10);
    scenario.happen({ kind: "stop", member: "b" });
    await scenario.pass(950);
    expect(scenario.epoch).toBe(epoch);
    expect(a?.throttle.tryAcquireUpTo(MAX)).toBe(110);
    await scenario.pass(1_000);
    expect(a?.throttle.tryAcquireUpTo(MAX)).toBe(MAX);
    expectEveryEpochWithin(scenario, MAX);
  });

  it("may be used by one who gave up others that it had used, on top of these", async () => {
    const { scenario, members, epoch } = await agreed("a");
    const [a] = members;
    expect(a?.throttle.tryAcquireUpTo(100)).toBe(100);
    // It gives up half, of which it has used 40, and is given it back when the visitor leaves.
    scenario.join("visitor", "idle");
    await scenario.pass(400);
    expect(a && scenario.status(a).share).toBe(60);
    expect(a?.throttle.tryAcquireUpTo(1)).toBe(0);
    scenario.happen({ kind: "stop", member: "visitor" });
    await scenario.pass(400);
    expect(scenario.epoch).toBe(epoch);
    expect(a?.throttle.tryAcquireUpTo(MAX)).toBe(20);
    expectEveryEpochWithin(scenario, MAX);
  });
});
