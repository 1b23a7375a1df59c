import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { inPlaceOf } from "../../src/sim/bugs/in-place.ts";
import { PERMIT_BUGS } from "../../src/sim/permits/permit-bugs.ts";
import { loadPermitCore } from "../../src/sim/permits/permit-core.ts";
import { FOUND, type PermitWorld, WORLDS } from "../../src/sim/permits/worlds.ts";

const sources = fileURLToPath(new URL("../../../../packages/core/src", import.meta.url));

function world(name: string): PermitWorld {
  return WORLDS.find((one) => one.name === name) as PermitWorld;
}

// The command has run tens of thousands of seeds of the storms; those that found something are kept, and run here too.
describe("worlds of pacers", () => {
  it.each<[string, number, string]>([
    ["clean", 25, "leave nothing reserved, in line, waiting or ticking when nothing fails"],
    ["storm", 75, "use no permit early, late or twice whatever fails, and hang nobody"],
    ["busy", 10, "give each process its part of the rate, and lose nothing of it"],
    ["group-clean", 20, "of several sites keep each part to its rate, and give back what nobody wanted"],
    ["group-storm", 40, "of several sites do so whatever fails"],
    ["asleep", 80, "do so on machines that are suspended"],
    ["group-asleep", 40, "of several sites do so on machines that are suspended"],
  ])("%s: %i seeds %s", async (name, seeds) => {
    const core = await loadPermitCore(sources);
    let granted = 0;
    for (const seed of [...Array(seeds).keys(), ...(FOUND[name] ?? [])]) {
      const run = await world(name).run(core, seed);
      expect(run.violations, `${name} ${seed}`).toEqual([]);
      granted += run.granted;
    }
    expect(granted).toBeGreaterThan(seeds * 10);
  });

  it("go the same way twice", async () => {
    const core = await loadPermitCore(sources);
    for (const { run } of WORLDS) expect(await run(core, 7)).toEqual(await run(core, 7));
  });

  it("have 31 bugs to show, with different names, and what each replaces is there in core as it is now", async () => {
    expect(new Set(PERMIT_BUGS.map(({ name }) => name)).size).toBe(31);
    for (const { name, breaks } of PERMIT_BUGS)
      for (const file of Object.keys(breaks)) inPlaceOf(name, file, await import(join(sources, file)));
  });
});
