import { conformance } from "@dt/conformance";
import { TRANSPORT_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ETCD_CONCURRENCY, etcdTarget } from "../support/targets.ts";

/** Three nodes, which agree by Raft. */
describe("etcd", () => {
  const target = etcdTarget(3);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY, filter: TRANSPORT_CASES });
});
