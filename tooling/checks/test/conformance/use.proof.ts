import { runConformance } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { mutants } from "../../src/conformance/mutants/index.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";
import { inVirtualTime } from "../../src/conformance/mutants/virtual-time.ts";

const LIMIT_MS = 60_000;

describe("what members may use, added up from requests and answers alone, is more than the capacity in a random schedule", () => {
  it.each([
    "what is answered may be used in the epoch that has begun",
    "freed tokens start at once, whether or not they were used",
    "a farewell counts used tokens as kept",
    "a farewell without a report of its use spends nothing",
    "an older epoch takes the place of a newer one",
    "what was given to a member again counts as used no more",
    "what a removed member held may be used at once",
  ])(
    "where %s",
    async (name) => {
      const flaw = mutants.find((mutant) => mutant.name === name)?.flaw;
      if (!flaw) throw new Error(`no mutant says that ${name}`);
      const { failures } = await inVirtualTime((runtime) =>
        runConformance(simulatedTarget(name, runtime, flaw), { filter: "under random joins" }),
      );
      expect(failures.map(({ rule }) => rule)).toEqual(["R20"]);
      expect(failures[0]?.summary).toMatch(
        /^\d+ tokens more of epoch \d+ are given to m\d+-boot-\d+, so that all members together may use \d+ of it where the capacity is 27720$/,
      );
    },
    LIMIT_MS,
  );
});
