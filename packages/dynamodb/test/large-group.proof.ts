import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { dynaliteTarget } from "./support/targets.ts";

describe("24 members on DynamoDB", () => {
  const target = dynaliteTarget(24);
  beforeAll(target.start);
  afterAll(target.stop);
  conformance({ describe, it }, target, { filter: "a large group" });
});
