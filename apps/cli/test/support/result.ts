import type { Facts } from "../../src/demo/measure/facts.ts";
import { TIMINGS } from "../../src/demo/timings.ts";

const distribution = { p50: 0, p90: 1, p99: 2, max: 3 };

/** The facts of a run that passes, without the verdict. */
export const goodResult: Facts = {
  store: "sqlite:/tmp/ledger.db",
  max: 100,
  headroom: 3,
  limit: 97,
  release: "even",
  workers: 4,
  seconds: 20,
  machine: "linux x64, 2 cores, Node.js 24.21.0",
  date: "2026-11-28",
  served: 2_000,
  rejected429: 0,
  worstSlidingSecond: 99,
  perSecondAfterLeave: 97,
  granted: 2_000,
  maxGrantedPerEpoch: 97,
  utilisation: 0.97,
  epochsWithoutChurn: 5,
  convergenceMs: [500, 3_600, 700],
  startConvergenceMs: 900,
  changes: [
    { change: "join", worker: 5, atSeconds: 4 },
    { change: "kill", worker: 2, atSeconds: 8 },
    { change: "leave", worker: 1, atSeconds: 15 },
  ],
  arrivalJitterMs: distribution,
  transitMs: distribution,
  timings: TIMINGS,
  raisedPriority: false,
  troubles: {},
  fixedParts: { part: 24, served: 1_970, rejected429: 130, worstSlidingSecond: 121, perSecondAfterLeave: 72 },
};
