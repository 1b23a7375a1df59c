import type { Scenario } from "../scenario.ts";
import { usual } from "./usual.ts";

/** Scenarios of our own, which were not used for tuning. */
export const ownScenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "diurnal",
    title: "O1: load that swings from a quarter of the capacity to 1.75 times; service times are lognormal",
    callee: { servers: 24, service: { kind: "lognormal", medianMs: 30, spread: 0.7 } },
    clients: [{ load: { kind: "open", perSecond: 625, wave: { periodSeconds: 40, part: 0.75 } } }],
  },
  {
    ...usual,
    name: "distances",
    title: "O2: two clients next door and two 60 ms away, who come later; twice the capacity together",
    callee: { servers: 32, service: { kind: "exponential", meanMs: 50 } },
    clients: [
      { count: 2, load: { kind: "open", perSecond: 320 } },
      { count: 2, startSeconds: 10, staggerSeconds: 10, roundTripMs: 60, load: { kind: "open", perSecond: 320 } },
    ],
  },
  {
    ...usual,
    name: "users",
    title: "O3: 300 users who wait for an answer, think, and call again; calls that are given up are cancelled",
    cancels: true,
    callee: { servers: 16, service: { kind: "lognormal", medianMs: 40, spread: 0.5 } },
    clients: [{ count: 3, load: { kind: "closed", users: 100, thinkMs: 500 } }],
  },
  {
    ...usual,
    name: "contention",
    title: "O4: a callee of 300 threads that get in each other's way: most goodput at about 20 at a time",
    callee: {
      servers: 300,
      service: { kind: "exponential", meanMs: 20 },
      contention: 0.01,
      coherence: 0.002,
    },
    clients: [{ count: 2, load: { kind: "open", perSecond: 600 } }],
  },
  {
    ...usual,
    name: "mixed",
    title: "O5: calls of cost 1 and 4, pauses of 150 ms every 4 s, and a callee that loses a quarter of its servers",
    callee: {
      servers: 40,
      service: { kind: "exponential", meanMs: 20 },
      pauses: { everyMs: 4_000, lastMs: 150 },
      changes: [
        { atSeconds: 60, servers: 30 },
        { atSeconds: 120, servers: 40 },
      ],
    },
    clients: [
      {
        count: 2,
        cost: [
          { cost: 1, share: 0.9 },
          { cost: 4, share: 0.1 },
        ],
        load: { kind: "open", perSecond: 1_100 },
      },
    ],
  },
];
