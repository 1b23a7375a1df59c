import { type SharingFleet, type SharingResult, shareFleet } from "@dt-tooling/worlds/hybrid";
import { expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

/** As many as the store states. A round trip takes 8 ms on average. */
const fleet = { members: 100, latencyMs: 8 } as const;

async function share(change: Pick<SharingFleet, "shares" | "load"> & Partial<SharingFleet>): Promise<SharingResult> {
  const result = await shareFleet(
    { ...fleet, ...change },
    (...args) => new ModelEtcd(...args),
    ({ changes }) => changes,
  );
  expect(result.most).toBeLessThanOrEqual(1);
  return result;
}

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
