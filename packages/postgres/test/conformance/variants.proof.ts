import { conformance } from "@dt/conformance";
import { TRANSPORT_CASES } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { pgBouncerTarget, postgresTarget } from "../support/targets.ts";

describe("PostgreSQL behind PgBouncer", () => {
  const target = pgBouncerTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: TRANSPORT_CASES });
});

describe("300 members on PostgreSQL", () => {
  const target = postgresTarget(300);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: "a large group" });
});
