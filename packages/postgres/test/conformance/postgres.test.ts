import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresTarget } from "../support/targets.ts";

/**
 * The contract on a real server, which the target starts. Larger groups are in `npm run conformance` (and die in
 * `ledger-differential.test.ts`).
 */
describe("postgres", () => {
  const target = postgresTarget(300);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target);
});
