import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { pgBouncerTarget, postgresTarget } from "./support/targets.ts";

/** The contract on real servers; every target starts its own. */
describe.each([postgresTarget(), pgBouncerTarget()])("$name", (target) => {
  beforeAll(() => target.start(), 60_000);
  afterAll(() => target.stop());
  conformance({ describe, it }, target);
});
