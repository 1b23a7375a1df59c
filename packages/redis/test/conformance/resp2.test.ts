import { conformance } from "@dt/conformance";
import { ARRIVAL_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisTarget } from "../support/targets.ts";

/** The older protocol. */
describe("redis", () => {
  const target = redisTarget(2);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: ARRIVAL_CASES });
});
