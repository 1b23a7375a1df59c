import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisTarget } from "../support/targets.ts";

/** The contract on a real server, which the target starts. */
describe("redis", () => {
  const target = redisTarget(3);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target);
});
