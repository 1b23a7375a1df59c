import type { Setting } from "./network.ts";

/** A process in the same network as its store. */
export const NEAR: Setting = { rttMs: 1, lost: 0, turnMs: 100 };

/** Groups of loads in one network. */
export interface Part {
  readonly groups: readonly string[];
  readonly setting: Setting;
}

/** What the whole table measures. */
export const PARTS: readonly Part[] = [
  { groups: ["handover", "plenty", "skew", "light", "large", "crash", "cost"], setting: NEAR },
  { groups: ["handover"], setting: { ...NEAR, rttMs: 10 } },
  { groups: ["handover"], setting: { ...NEAR, rttMs: 10, turnMs: 500 } },
  { groups: ["handover"], setting: { ...NEAR, lost: 0.005 } },
  { groups: ["handover"], setting: { ...NEAR, lost: 0.05 } },
];
