import { expect, it } from "vitest";
import { share } from "./share.ts";

it("100 processes of which half ask at a time have nearly all of the limit by demand", async () => {
  const demand = await share({ shares: "demand", load: "turns" });
  expect(demand.granted).toBeGreaterThan(0.95);
});

it("where all want the same all the time, nothing is written but the time", async () => {
  const demand = await share({ shares: "demand", load: "steady" });
  expect(demand.granted).toBeGreaterThan(0.98);
  expect(demand.changesPerSecond).toBeLessThan(2);
});

it("where there is plenty, what changes by chance is hardly written", async () => {
  const calm = await share({ shares: "demand", load: "chance" });
  expect(calm.granted).toBeGreaterThan(0.48);
  expect(calm.changesPerSecond).toBeLessThan(40);
});
