import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ETCD_CONCURRENCY, etcdTarget } from "../support/targets.ts";

/** The contract on a real server, which the target starts. Larger groups are in the proof. */
describe("etcd", () => {
  const target = etcdTarget(1, 30);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY });
});
