import type { Callee, Clients, Scenario } from "../scenario.ts";
import { usual } from "./usual.ts";

/** Twenty calls a second for each server. */
const SERVICE: Callee["service"] = { kind: "exponential", meanMs: 50 };

/** Twice what so many servers can take, from one client. */
function small(servers: number): Pick<Scenario, "callee" | "clients"> {
  return { callee: { servers, service: SERVICE }, clients: [{ load: { kind: "open", perSecond: 40 * servers } }] };
}

const hungry = (count: number, perSecond: number): Clients[] => [{ count, load: { kind: "open", perSecond } }];

/** Worlds in which a later trial found the limits wanting. Targets are in `suite/targets.ts`. */
export const thirdTrialScenarios: readonly Scenario[] = [
  { ...usual, name: "one-server", title: "W1: a callee of one server, twice what it can take", ...small(1) },
  { ...usual, name: "two-servers", title: "W2: a callee of two servers, twice what it can take", ...small(2) },
  { ...usual, name: "three-servers", title: "W3: a callee of three servers, twice what it can take", ...small(3) },
  { ...usual, name: "four-servers", title: "W4: a callee of four servers, twice what it can take", ...small(4) },
  {
    ...usual,
    name: "two-clients",
    title: "W5: two equal clients that begin together; twice the capacity",
    callee: { servers: 64, service: SERVICE },
    clients: hungry(2, 1_280),
  },
  {
    ...usual,
    name: "twenty-clients",
    title: "W6: twenty equal clients that begin together; four times the capacity",
    callee: { servers: 32, service: SERVICE },
    clients: hungry(20, 128),
  },
  {
    ...usual,
    name: "slow-lognormal",
    title: "W7: lognormal calls that take ten times as long for a minute; 80 % of the capacity before and after",
    measured: { fromSeconds: 60, toSeconds: 120 },
    timeoutMs: 3_000,
    callee: {
      servers: 32,
      service: { kind: "lognormal", medianMs: 40, spread: 0.6 },
      changes: [
        { atSeconds: 60, slower: 10 },
        { atSeconds: 120, slower: 1 },
      ],
    },
    clients: hungry(1, 534),
  },
  {
    ...usual,
    name: "two-in-contention",
    title: "W8: two clients of a callee of 64 threads that get in each other's way: most goodput at about 22 at a time",
    callee: {
      servers: 64,
      service: SERVICE,
      contention: 0.02,
      coherence: 0.002,
    },
    clients: hungry(2, 250),
  },
];
