import { conformance } from "@dt/conformance";
import { ARRIVAL_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisClusterTarget } from "../support/targets.ts";

/** And lists, which go from node to node. */
const WITH_LISTS = new RegExp(`${ARRIVAL_CASES.source}|^(?:R26|P14|B12|K13) `);

/** Three nodes, each with a part of the keys. */
describe("redis", () => {
  const target = redisClusterTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: WITH_LISTS });
});
