import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ETCD_CONCURRENCY, etcdTarget } from "./support/targets.ts";

/** The contract on real etcds; every target starts its own. Larger groups are in `npm run conformance`. */
describe.each([etcdTarget(1), etcdTarget(3, 60)])("$name", (target) => {
  beforeAll(() => target.start());
  afterAll(() => target.stop());
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY });
});
