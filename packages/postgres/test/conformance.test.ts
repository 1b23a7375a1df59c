import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { pgBouncerTarget, postgresTarget } from "./support/targets.ts";

/** The largest group behind PgBouncer; `npm run conformance` has 1,200 there too. */
const FEWER = 200;

/** The contract on real servers; every target starts its own. */
describe.each([postgresTarget(), pgBouncerTarget(FEWER)])("$name", (target) => {
  beforeAll(() => target.start(), 60_000);
  afterAll(() => target.stop());
  conformance({ describe, it }, target);
});
