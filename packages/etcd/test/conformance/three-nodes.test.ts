import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ETCD_CONCURRENCY, etcdTarget } from "../support/targets.ts";

/**
 * What three nodes may do otherwise than one: order what comes to several of them. That they are away, and what a call
 * costs, is in the proof; names travel to all as they do to one.
 */
const OF_SEVERAL_NODES = /^(?:R1|P1) /;

/** Three nodes, which agree by Raft. */
describe("etcd", () => {
  const target = etcdTarget(3);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY, filter: OF_SEVERAL_NODES });
});
