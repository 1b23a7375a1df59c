import { conformance } from "@dt/conformance";
import { TRANSPORT_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisClusterTarget, redisTarget, restrictedRedisTarget } from "../support/targets.ts";

describe.each([redisTarget(2), redisClusterTarget(), restrictedRedisTarget()])(
  "another way to Redis: $name",
  (target) => {
    beforeAll(target.start);
    afterAll(target.stop);
    conformance({ describe, it }, target, { filter: TRANSPORT_CASES });
  },
);

describe("1,200 members on Redis", () => {
  const target = redisTarget(3, 1_200);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: "a large group" });
});
