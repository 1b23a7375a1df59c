import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { DYNAMODB_CONCURRENCY, dynaliteTarget } from "./support/targets.ts";

/** The contract on a server that the target starts. Larger groups are in the proof. */
describe("DynamoDB", () => {
  const target = dynaliteTarget(12);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { concurrency: DYNAMODB_CONCURRENCY });
});
