import type { Scenario } from "../scenario.ts";

/** Scenarios that the author of the algorithms did not see before they were finished. */
export const examinedScenarios: readonly Scenario[] = [
  {
    // A box with three inference workers is shared by a dozen batch jobs, some of whose requests take two workers.
    // Bound: equal parts of three servers. A request of two waits for the second, so nobody reaches all of it.
    name: "tiny-unequal",
    title:
      "E1: twelve hungry clients on three servers; calls of four of them take two servers; three times the capacity",
    seconds: 600,
    measured: { fromSeconds: 30, toSeconds: 600 },
    timeoutMs: 10_000,
    cancels: false,
    callee: { servers: 3, service: { kind: "lognormal", medianMs: 150, spread: 0.5 } },
    clients: [
      { count: 8, load: { kind: "open", perSecond: 4.4 } },
      { count: 4, cost: 2, load: { kind: "open", perSecond: 2.2 } },
    ],
  },
  {
    // An autoscaler removes and adds replicas every 15 s; requests of an analytics service have a heavy tail.
    // Bound: the capacity of the moment, which is below the load all the time.
    name: "autoscaling",
    title: "E2: capacity that halves in steps of 15 s and doubles again; three clients; times with a heavy tail",
    seconds: 300,
    measured: { fromSeconds: 20, toSeconds: 300 },
    timeoutMs: 5_000,
    cancels: false,
    callee: {
      servers: 40,
      service: { kind: "lognormal", medianMs: 30, spread: 1.4 },
      changes: [36, 32, 28, 24, 20, 20, 20, 24, 28, 32, 36, 40].map((servers, index) => ({
        atSeconds: 60 + 15 * index,
        servers,
      })),
    },
    clients: [{ count: 3, load: { kind: "open", perSecond: 200 } }],
  },
  {
    // A self-hosted model serves 48 sequences at a time and queues without a bound; agents come in bursts.
    // Bound: the load between the bursts, 48 sequences within them.
    name: "completions",
    title: "E3: completions of 20 to 60 s, half of the capacity, with bursts of 3.3 and 1.7 times; four clients",
    seconds: 3_600,
    measured: { fromSeconds: 300, toSeconds: 3_600 },
    timeoutMs: 180_000,
    cancels: true,
    callee: { servers: 48, service: { kind: "lognormal", medianMs: 32_000, spread: 0.3 } },
    clients: [
      {
        count: 4,
        load: {
          kind: "open",
          perSecond: 0.18,
          changes: [
            { atSeconds: 600, perSecond: 1.2 },
            { atSeconds: 1_200, perSecond: 0.18 },
            { atSeconds: 2_100, perSecond: 0.6 },
            { atSeconds: 3_000, perSecond: 0.18 },
          ],
        },
      },
    ],
  },
  {
    // A service comes back from an outage with cold caches, while every caller tries again what it missed.
    // Bound: the cold capacity at first, then the load.
    name: "retry-storm",
    title:
      "E4: 30 s of 503; then caches are cold, and what was missed comes again: up to 18 times the cold capacity; five clients",
    seconds: 180,
    measured: { fromSeconds: 90, toSeconds: 150 },
    timeoutMs: 2_000,
    cancels: false,
    callee: {
      servers: 20,
      service: { kind: "exponential", meanMs: 100 },
      changes: [
        { atSeconds: 60, refusals: 1 },
        { atSeconds: 90, refusals: 0, slower: 3 },
        { atSeconds: 105, slower: 2 },
        { atSeconds: 120, slower: 1 },
      ],
    },
    clients: [
      {
        count: 5,
        load: {
          kind: "open",
          perSecond: 28,
          changes: [
            { atSeconds: 90, perSecond: 240 },
            { atSeconds: 105, perSecond: 120 },
            { atSeconds: 120, perSecond: 60 },
            { atSeconds: 135, perSecond: 28 },
          ],
        },
      },
    ],
  },
  {
    // Some teams have adopted a limit and others never will; the latter send an eighth of the capacity each.
    // Bound: everybody an eighth, all of the capacity. It stalls now and then, as a JVM or a database does.
    name: "not-everybody",
    title:
      "E5: four clients without any limit, an eighth of the capacity each; four hungry ones with one; stalls of 0.5 s every 20 s",
    seconds: 180,
    measured: { fromSeconds: 20, toSeconds: 180 },
    timeoutMs: 2_000,
    cancels: false,
    callee: {
      servers: 32,
      service: { kind: "exponential", meanMs: 50 },
      pauses: { everyMs: 20_000, lastMs: 500 },
    },
    clients: [
      { count: 4, limiter: "none", load: { kind: "open", perSecond: 80 } },
      { count: 4, load: { kind: "open", perSecond: 240 } },
    ],
  },
];
