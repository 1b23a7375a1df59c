import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Bug } from "../../src/sim/bugs/bug.ts";
import { huntPermitBug } from "../../src/sim/permits/hunt-permit-bug.ts";
import { PERMIT_BUGS } from "../../src/sim/permits/permit-bugs.ts";

const sources = fileURLToPath(new URL("../../../../packages/core/src", import.meta.url));

describe("worlds of pacers", () => {
  // The others take longer: `node tooling/worlds/src/sim/permits/main.ts --bugs` looks for all of them.
  it.each([
    "early",
    "any-lane",
    "gives-back-one-too-few",
    "gives-back-one-too-many",
    "forgets-lost-replies",
    "forgets-lost-attempts",
    "never-looks-whether-it-slept",
    "stays-in-line",
    "beyond-the-bound",
    "retry-once",
    "no-line",
    "stolen-to-the-last",
  ])("show the bug %s", async (name) => {
    const bug = PERMIT_BUGS.find((one) => one.name === name) as Bug;
    expect(await huntPermitBug(sources, bug, 60)).toBeDefined();
  });
});
