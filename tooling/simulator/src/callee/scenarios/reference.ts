import type { Callee, Clients, Scenario } from "../scenario.ts";
import { usual } from "./usual.ts";

/** Most scenarios are of this callee: 640 calls a second, 50 ms each, exponential. */
const CALLEE: Callee = { servers: 32, service: { kind: "exponential", meanMs: 50 } };
const CAPACITY = 640;

function oneClient(perSecond: number, changes?: readonly { atSeconds: number; perSecond: number }[]): Clients[] {
  return [{ load: { kind: "open", perSecond, ...(changes && { changes }) } }];
}

/**
 * The scenarios of the reference, against which the algorithms were tuned; F1 is of fairness by cost, T1 for throttles.
 */
export const referenceScenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "overload",
    title: "S1: twice as many calls as the callee can take",
    callee: CALLEE,
    clients: oneClient(2 * CAPACITY),
  },
  {
    ...usual,
    name: "capacity",
    title: "S2: half of the servers are lost for a minute, under 1.5 times the load",
    callee: {
      ...CALLEE,
      changes: [
        { atSeconds: 60, servers: 16 },
        { atSeconds: 120, servers: 32 },
      ],
    },
    clients: oneClient(1.5 * CAPACITY),
  },
  {
    ...usual,
    name: "burst",
    title: "S3: ten times the capacity for a minute, half of it before and after",
    measured: { fromSeconds: 60, toSeconds: 120 },
    timeoutMs: 5_000,
    callee: { servers: 10, service: { kind: "exponential", meanMs: 100 } },
    clients: oneClient(50, [
      { atSeconds: 60, perSecond: 1_000 },
      { atSeconds: 120, perSecond: 50 },
    ]),
  },
  {
    ...usual,
    name: "slow",
    title: "S4: every call takes ten times as long for a minute; 80 % of the capacity before and after",
    measured: { fromSeconds: 60, toSeconds: 120 },
    // With a second, every seventh call would time out without having waited.
    timeoutMs: 3_000,
    callee: {
      ...CALLEE,
      changes: [
        { atSeconds: 60, slower: 10 },
        { atSeconds: 120, slower: 1 },
      ],
    },
    clients: oneClient(0.8 * CAPACITY),
  },
  {
    ...usual,
    name: "eight-clients",
    title: "S5: eight equal clients that come one after the other; twice the capacity together",
    callee: CALLEE,
    clients: [{ count: 8, staggerSeconds: 5, load: { kind: "open", perSecond: CAPACITY / 4 } }],
  },
  {
    ...usual,
    name: "idle",
    title: "S6: five minutes with 5 % of the load, then three times the capacity",
    seconds: 420,
    measured: { fromSeconds: 300, toSeconds: 420 },
    callee: CALLEE,
    clients: oneClient(0.05 * CAPACITY, [{ atSeconds: 300, perSecond: 3 * CAPACITY }]),
  },
  {
    ...usual,
    name: "bimodal",
    title: "S7: calls of 10 ms and some of 400 ms, twice the capacity",
    callee: { servers: 32, service: { kind: "bimodal", fastMs: 10, slowMs: 400, slowShare: 0.1 } },
    clients: oneClient(1_300),
  },
  {
    ...usual,
    name: "failures",
    title: "S8: half of the calls fail at once for other reasons; what remains is 1.5 times the capacity",
    callee: { ...CALLEE, failures: 0.5 },
    clients: oneClient(3 * CAPACITY),
  },
  {
    ...usual,
    name: "refusals",
    title: "S9: a short queue, 429 beyond it, three times the capacity",
    callee: { ...CALLEE, queue: 32 },
    clients: oneClient(3 * CAPACITY),
  },
  {
    ...usual,
    name: "unequal-costs",
    title:
      "F1: four clients whose calls cost 1 and four whose calls cost 4; twice the capacity together, a quarter of it each",
    callee: { servers: 128, service: { kind: "exponential", meanMs: 100 } },
    clients: [
      { count: 4, load: { kind: "open", perSecond: 320 } },
      { count: 4, cost: 4, load: { kind: "open", perSecond: 80 } },
    ],
  },
  {
    ...usual,
    name: "outage",
    title: "T1: ten times the capacity and 429 beyond it; then it refuses everybody for a minute",
    measured: { fromSeconds: 20, toSeconds: 60 },
    callee: {
      ...CALLEE,
      queue: 32,
      changes: [
        { atSeconds: 60, refusals: 1 },
        { atSeconds: 120, refusals: 0 },
      ],
    },
    clients: oneClient(10 * CAPACITY),
  },
];
