import { conformance } from "@dt/conformance";
import { TRANSPORT_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { restrictedRedisTarget } from "../support/targets.ts";

/** TLS, and a user who may do only what the README says. */
describe("redis", () => {
  const target = restrictedRedisTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: TRANSPORT_CASES });
});
