import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ETCD_CONCURRENCY, etcdTarget } from "../support/targets.ts";

/** What three nodes may do otherwise than one: order what comes to several of them, and be away. */
const OF_SEVERAL_NODES = /^(?:R1|R16|R17|P1) /;

describe("three nodes of etcd", () => {
  const target = etcdTarget(3);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY, filter: OF_SEVERAL_NODES });
});

describe("200 members on etcd", () => {
  const target = etcdTarget(1, 200);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: ETCD_CONCURRENCY, filter: "a large group" });
});
