import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisClusterTarget, redisTarget, restrictedRedisTarget } from "./support/targets.ts";

/** The contract on real servers; every target starts its own. */
describe.each([redisTarget(2), redisTarget(3), restrictedRedisTarget(), redisClusterTarget()])("$name", (target) => {
  beforeAll(() => target.start(), 60_000);
  afterAll(() => target.stop());
  conformance({ describe, it }, target);
});
