import { type SharingFleet, type SharingResult, shareFleet } from "@dt-tooling/simulator/hybrid";
import { expect } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

/** As many as the store states. A round trip takes 8 ms on average. */
const fleet = { members: 100, latencyMs: 8 } as const;

/** What a fleet reaches on the model; never more than its limit. */
export async function share(
  change: Pick<SharingFleet, "shares" | "load"> & Partial<SharingFleet>,
): Promise<SharingResult> {
  const result = await shareFleet(
    { ...fleet, ...change },
    (...args) => new ModelEtcd(...args),
    ({ changes }) => changes,
  );
  expect(result.most).toBeLessThanOrEqual(1);
  return result;
}
