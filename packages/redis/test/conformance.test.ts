import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisClusterTarget, redisTarget, restrictedRedisTarget } from "./support/targets.ts";

/** The largest group where another target of the same scripts has 1,200; `npm run conformance` has them everywhere. */
const FEWER = 200;

/** The contract on real servers; every target starts its own. */
describe.each([redisTarget(2, FEWER), redisTarget(3), restrictedRedisTarget(FEWER), redisClusterTarget(FEWER)])(
  "$name",
  (target) => {
    beforeAll(() => target.start(), 60_000);
    afterAll(() => target.stop());
    conformance({ describe, it }, target);
  },
);
