import { RULES, runConformance } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { mutants } from "../../src/conformance/mutants/index.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";
import { inVirtualTime } from "../../src/conformance/mutants/virtual-time.ts";

const greedy = mutants.find((mutant) => mutant.name === "a raise gives more than is free");

function runBroken(filter: string | RegExp, seed = 1): ReturnType<typeof runConformance> {
  return inVirtualTime((runtime) =>
    runConformance(simulatedTarget("broken", runtime, greedy?.flaw ?? {}), { filter, seed }),
  );
}

describe("the report of a store that gives more than is free", () => {
  it("names the rule that is broken, what was expected, and the history that shows it", async () => {
    const report = await runBroken("a raise gives at most what is free");
    expect(report).toMatchObject({ target: "broken", seed: 1, passed: 0, failed: 1, skipped: [] });
    const failure = report.failures[0];
    expect(failure).toMatchObject({ case: "a raise gives at most what is free", rule: "R7" });
    expect(failure?.summary).toBe("held where 15 are free and fair is 50\n  expected: 15\n  received: 50");
    expect(failure?.message).toContain(`breaks R7 (${RULES.R7})`);
    const text = failure?.message.replaceAll(/\d+\.\d+/g, "0.0") ?? "";
    expect(text).toMatch(
      /store 1: register g1 \(id "m1", .*claim 0, .*\) -> agree generation \d+, members 1 .* held 100, entitled 100 from epoch \d+/,
    );
    expect(text).toMatch(
      /store 1: sync g1 \(id "m2", .*held 0, .*\) -> disagree generation \d+, members 2 .* held 50, entitled 50 from epoch \d+/,
    );
    expect(text).toContain('g1 = "conformance-');
    expect(failure?.history).toHaveLength(5);
    expect(failure?.history[0]).toMatchObject({
      store: 1,
      call: "register",
      args: { claim: 0 },
      result: { held: 100 },
    });
  });

  it("is plain data", async () => {
    const report = await runBroken("R7");
    expect(JSON.parse(JSON.stringify(report))).toEqual(JSON.parse(JSON.stringify(structuredClone(report))));
    expect(report.failed).toBe(report.failures.length);
  });

  it("comes out the same for the same seed, and another for another one", async () => {
    const name = "under random joins";
    const histories = [];
    for (const seed of [7, 7, 8]) {
      const { failures } = await runBroken(name, seed);
      histories.push(failures[0]?.history.map(({ call, startMs }) => `${call} ${startMs}`).join("\n"));
    }
    expect(histories[0]).toBeDefined();
    expect(histories[0]).toBe(histories[1]);
    expect(histories[0]).not.toBe(histories[2]);
  });
});

it("a target that never makes its store is named, instead of waited for", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const { failures } = await inVirtualTime((runtime) =>
    runConformance({ ...simulatedTarget("silent", runtime, {}), createStore: never }, { filter: "R14" }),
  );
  expect(failures).toHaveLength(2);
  expect(failures[0]?.summary).toBe("createStore() of the target did not settle within 30000 ms");
});
