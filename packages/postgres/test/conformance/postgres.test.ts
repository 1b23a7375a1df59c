import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresTarget } from "../support/targets.ts";

/** The contract on a real server, which the target starts. Larger groups are in the proof. */
describe("postgres", () => {
  const target = postgresTarget(100);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target);
});
