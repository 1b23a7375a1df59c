import { expect, it } from "vitest";
import { share } from "./share.ts";

it("what 50 processes are measured by tells sharing evenly from sharing by demand", async () => {
  const even = await share({ shares: "even", load: "turns" });
  expect(even.granted).toBeLessThan(0.7);
});

it("and a calm member from one that takes every change for a cheap one", async () => {
  const restless = await share({ shares: "demand", load: "chance", restless: true });
  expect(restless.changesPerSecond).toBeGreaterThan(20);
});
