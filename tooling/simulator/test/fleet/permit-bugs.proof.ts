import { describe, expect, it } from "vitest";
import { huntPermitBug } from "../../src/fleet/permits/hunt-permit-bug.ts";
import { PERMIT_BUGS } from "../../src/fleet/permits/permit-bugs.ts";

/** The first seeds of each world, in which every bug shows. */
const SEEDS = 60;

describe("worlds of pacers", () => {
  it.each(PERMIT_BUGS.map((bug) => [bug.name, bug] as const))("show the bug %s", async (_, bug) => {
    expect(await huntPermitBug(bug, SEEDS)).toBeDefined();
  });

  it("name each bug once", () => {
    expect(new Set(PERMIT_BUGS.map(({ name }) => name)).size).toBe(PERMIT_BUGS.length);
  });
});
