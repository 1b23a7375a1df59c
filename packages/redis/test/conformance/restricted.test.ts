import { conformance } from "@dt/conformance";
import { ARRIVAL_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { restrictedRedisTarget } from "../support/targets.ts";

/** And repair, reset, lists, looks and limit records: what only these call would need a right that the user has not. */
const EVERY_RIGHT = new RegExp(`${ARRIVAL_CASES.source}|^(?:R18|R26|P12|P13|B11|B12|K12|K13|L1) `);

/** TLS, and a user who may do only what the README says. */
describe("redis", () => {
  const target = restrictedRedisTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: EVERY_RIGHT });
});
