import { describe, expect, it } from "vitest";
import { type Row, runCell, SYSTEM_NAMES } from "../../src/semaphores/figures/cell.ts";
import { compare } from "../../src/semaphores/figures/compare.ts";
import { LOADS } from "../../src/semaphores/figures/loads.ts";
import { NEAR } from "../../src/semaphores/figures/parts.ts";
import { PROTOTYPE } from "../../src/semaphores/figures/prototype.ts";

const cell = (load: string, system: string, seed = 1) => ({ load, system, seed, ...NEAR });

async function compared(load: string, system: string) {
  return compare([await runCell(cell(load, system))])[0] as ReturnType<typeof compare>[number];
}

describe("figures of semaphores", () => {
  it("are measured on the prototype's loads: its oracle and its rivals come out the same", async () => {
    for (const [load, system] of [
      ["handover-5", "queue"],
      ["handover-100", "poll"],
      ["handover-100", "oracle"],
      ["on-off-2000-100", "queue"],
      ["light-few", "oracle"],
      ["zipf", "queue"],
    ] as const) {
      const { ours, prototype } = await compared(load, system);
      expect(prototype).not.toBeNull();
      for (const [figure, value] of Object.entries(prototype ?? {})) {
        const mine = ours[figure as keyof typeof ours];
        if (value === null) expect(mine, `${load} ${system} ${figure}`).toBeNull();
        else expect(Math.abs((mine as number) - value), `${load} ${system} ${figure}`).toBeLessThanOrEqual(0.5);
      }
    }
  });

  it.each([
    ["handover-5", "V1"],
    ["handover-100", "V1"],
    ["handover-5", "V1 no push"],
    ["handover-5", "V0"],
    ["zipf", "V1"],
    ["light-few", "V1"],
    ["crash", "V1"],
  ])("hold beside the prototype: %s, %s", async (load, system) => {
    const { short, prototype } = await compared(load, system);
    expect(prototype).not.toBeNull();
    expect(short).toEqual([]);
  });

  it("are the same twice, and no more than max is in flight", async () => {
    const first = await runCell(cell("light-few", "V1"));
    expect(await runCell(cell("light-few", "V1"))).toEqual(first);
    expect(first.peak).toBe(first.max);
  });

  it("count from outside: an oracle uses all, and requests that are sent", async () => {
    const oracle = await runCell(cell("handover-100", "oracle"));
    expect(oracle).toMatchObject({ use: expect.closeTo(1), commandsPerSlot: 0, peak: 5, max: 5 });
    const queue = await runCell(cell("handover-100", "queue"));
    expect(queue.commandsPerSlot).toBeCloseTo(2, 2);
  });
});

describe("the comparison with the prototype", () => {
  const row = (figures: Partial<Row>): Row => ({ ...(best() as unknown as Row), ...figures });
  const best = () => PROTOTYPE.find(({ load, system, seed }) => load === "light-100" && system === "V1" && seed === 1);

  it("holds for its own figures, a point less use, and a quarter more requests and waits", () => {
    const { use, commandsPerSlot, waitP99Ms, lightP50Ms } = row({});
    expect(compare([row({})])[0]?.short).toEqual([]);
    const more = {
      use: use - 0.009,
      commandsPerSlot: 1.24 * commandsPerSlot,
      waitP99Ms: 1.24 * (waitP99Ms as number),
      lightP50Ms: 1.24 * (lightP50Ms as number),
    };
    expect(compare([row(more)])[0]?.short).toEqual([]);
  });

  it("names what falls short", () => {
    const { use, commandsPerSlot, lightP99Ms } = row({});
    const less = { use: use - 0.011, commandsPerSlot: 1.5 * commandsPerSlot, lightP99Ms: 1.3 * (lightP99Ms as number) };
    expect(compare([row(less)])[0]?.short).toEqual(["use", "commandsPerSlot", "lightP99Ms"]);
    expect(compare([row({ waitP50Ms: null })])[0]?.short).toEqual(["waitP50Ms"]);
  });

  it("does not judge calls of several slots, which the prototype never serves", async () => {
    const { short, ours } = await compared("cost", "V1");
    expect(short).toEqual([]);
    expect(ours.lightP99Ms).toBeLessThan(2_000);
  });

  it("takes means over the same seeds, and has none where the prototype was not measured", () => {
    expect(compare([row({ seed: 4 })])[0]).toMatchObject({ prototype: null, short: [] });
    expect(compare([row({ rttMs: 3 })])[0]).toMatchObject({ prototype: null, short: [] });
    const two = compare([row({ use: 1 }), row({ seed: 2, use: 0.5 })]);
    expect(two).toMatchObject([{ seeds: [1, 2], ours: { use: 0.75 } }]);
  });

  it("has figures of the prototype for each load and system", () => {
    for (const { name, kills, costs } of LOADS)
      for (const system of SYSTEM_NAMES)
        if ((!kills && !costs) || system.startsWith("V"))
          for (const seed of [1, 2, 3])
            expect(
              PROTOTYPE.filter(
                (one) => one.load === name && one.system === system && one.seed === seed && one.rttMs === 1,
              ),
              `${name} ${system} ${seed}`,
            ).not.toEqual([]);
  });
});
