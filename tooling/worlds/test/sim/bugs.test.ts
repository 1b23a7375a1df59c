import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BUGS, changeNamed, WAITING_FOR_AGREEMENT } from "../../src/sim/bugs/catalogue.ts";
import { inPlaceOf } from "../../src/sim/bugs/in-place.ts";

const sources = fileURLToPath(new URL("../../../../packages/core/src", import.meta.url));

describe("seeded bugs", () => {
  it("are at least 80, with different names, and what each replaces is there in core as it is now", async () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(80);
    expect(new Set(BUGS.map((bug) => bug.name)).size).toBe(BUGS.length);
    for (const { name, breaks } of [...BUGS, WAITING_FOR_AGREEMENT])
      for (const file of Object.keys(breaks)) inPlaceOf(name, file, await import(join(sources, file)));
  });

  it("are refused when core has no such export, and when there is no such bug", () => {
    expect(() => inPlaceOf("drop-delayed", "consensus/holding.ts", {})).toThrow(/holding.ts has no export Holding/);
    expect(() => changeNamed("no-such-bug")).toThrow(/--with is "no-such-bug"; give one of/);
  });
});
