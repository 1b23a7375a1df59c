import { expect, it } from "vitest";
import { expectEveryEpochWithin, fleet } from "./support/scenario.ts";

const SMALL_MS = 10;

/** A host whose first boot declares a small clock error, or the usual one: that follows from its name. */
function hostWith(small: boolean): string {
  for (let i = 0; ; i++) {
    const { name, clockErrorMs } = fleet({ smallClockErrorMs: SMALL_MS }).join(`p${i}`, "idle");
    if ((clockErrorMs === SMALL_MS) === small) return name;
  }
}

it("a raise waits for the largest clock error in the group: another member may have been ahead by that and used the token (150 of 100)", async () => {
  const scenario = fleet({ hints: true, smallClockErrorMs: SMALL_MS });
  scenario.happen({ kind: "lopsided", member: hostWith(false), forMs: 60_000, delayMs: 200 });
  const ahead = scenario.join(hostWith(false));
  const exact = scenario.join(hostWith(true));
  await scenario.pass(5_000);
  for (const process of [ahead, exact]) expect(scenario.status(process)).toMatchObject({ agreed: true, share: 50 });
  await scenario.passToEpochEnd();
  await scenario.pass(1_000 - 60);
  const next = scenario.epoch + 1;
  // Its clock is 100 ms ahead, within what it declares: it has begun the next epoch, and leaves before that truly
  // begins.
  expect(scenario.granted(next, ahead)).toBe(50);
  scenario.world.link(ahead.name).heal();
  scenario.happen({ kind: "stop", member: ahead.name });
  await scenario.pass(3_000);
  expectEveryEpochWithin(scenario, 100);
  expect(scenario.granted(next, exact)).toBeLessThanOrEqual(50);
  expect(scenario.granted(scenario.epoch - 1, exact)).toBe(100);
});
