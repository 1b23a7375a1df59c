import { conformance } from "@dt/conformance";
import { ARRIVAL_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { pgBouncerTarget } from "../support/targets.ts";

/** Behind PgBouncer, a connection is another one in every transaction. */
describe("postgres", () => {
  const target = pgBouncerTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: ARRIVAL_CASES });
});
