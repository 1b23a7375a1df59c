import { expect, it } from "vitest";
import { Crowd } from "./support.ts";

it.each([
  [1, 2],
  [5, 10],
])("of %i tokens an epoch %i members have turns that are as long for all", async (max, members) => {
  for (const seed of [1, 2, 3, 4]) {
    const group = new Crowd(max, seed);
    for (let i = 0; i < members; i++) (await group.join()).perSecond = 1.3;
    await group.run(10_000);
    const had = await group.run(60_000);
    // Thirty for each, if all were alike: nobody is more than a sixth away.
    expect(Math.min(...had), `seed ${seed}: ${had}`).toBeGreaterThanOrEqual(25);
    expect(Math.max(...had), `seed ${seed}: ${had}`).toBeLessThanOrEqual(35);
    expect(group.most).toBe(max);
    await group.stop();
  }
});
