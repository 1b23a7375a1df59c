import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisTarget } from "../support/targets.ts";

/** The contract on a real server, which the target starts. Larger groups are in the proof. */
describe("redis", () => {
  const target = redisTarget(3, 100);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target);
});
