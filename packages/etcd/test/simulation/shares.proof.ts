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

it("what 100 processes are measured by tells sharing evenly from sharing by demand", async () => {
  const even = await share({ shares: "even", load: "turns" });
  expect(even.granted).toBeLessThan(0.7);
});

it("and a calm processor from one that takes every change for a cheap one", async () => {
  const restless = await share({ shares: "demand", load: "chance", restless: true });
  expect(restless.changesPerSecond).toBeGreaterThan(40);
});
