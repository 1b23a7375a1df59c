import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { DYNAMODB_CONCURRENCY, dynaliteTarget } from "./support/targets.ts";

describe("DynamoDB", () => {
  const target = dynaliteTarget();
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: DYNAMODB_CONCURRENCY });
});
