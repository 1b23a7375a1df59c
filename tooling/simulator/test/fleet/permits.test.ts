import { describe, expect, it } from "vitest";
import { FOUND, type PermitWorld, WORLDS } from "../../src/fleet/permits/worlds.ts";

function world(name: string): PermitWorld {
  return WORLDS.find((one) => one.name === name) as PermitWorld;
}

// The command has run tens of thousands of seeds of the storms; those that found something are kept, and run here too.
describe("worlds of pacers", () => {
  it.each<[string, number, string]>([
    ["clean", 25, "leave nothing reserved, in the queue, waiting or ticking when nothing fails"],
    ["storm", 75, "use no permit early, late or twice whatever fails, and hang nobody"],
    ["busy", 10, "give each process its part of the rate, and lose nothing of it"],
    ["group-clean", 20, "of several sites keep each part to its rate, and give back what nobody wanted"],
    ["group-storm", 40, "of several sites do so whatever fails"],
    ["asleep", 80, "do so on machines that are suspended"],
    ["group-asleep", 40, "of several sites do so on machines that are suspended"],
  ])("%s: %i seeds %s", async (name, seeds) => {
    let granted = 0;
    for (const seed of [...Array(seeds).keys(), ...(FOUND[name] ?? [])]) {
      const run = await world(name).run(seed);
      expect(run.violations, `${name} ${seed}`).toEqual([]);
      granted += run.granted;
    }
    expect(granted).toBeGreaterThan(seeds * 10);
  });

  it("go the same way twice", async () => {
    for (const { run } of WORLDS) expect(await run(7)).toEqual(await run(7));
  });
});
