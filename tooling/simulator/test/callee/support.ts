import {
  type Admission,
  type Book,
  type Callee,
  type Clients,
  run,
  type Scenario,
  unlimited,
} from "../../src/callee/index.ts";

/** A scenario of one client and one callee; nobody gives up, and a second is let pass before anything counts. */
export function scenario(callee: Callee, client: Clients, rest: Partial<Scenario> = {}): Scenario {
  const seconds = rest.seconds ?? 100;
  return {
    name: "test",
    title: "of a test",
    seconds,
    measured: { fromSeconds: 10, toSeconds: seconds },
    callee,
    clients: [client],
    timeoutMs: 3_600_000,
    cancels: false,
    ...rest,
  };
}

export const open = (perSecond: number): Clients => ({ load: { kind: "open", perSecond } });

/** Lets so much cost be in flight. */
export function atMost(limit: number): Admission {
  let inflight = 0;
  return {
    limit,
    enter(cost) {
      if (inflight + cost > limit) return undefined;
      inflight += cost;
      return {
        settle() {
          inflight -= cost;
        },
      };
    },
  };
}

export function runWith(scenario: Scenario, seed = 1, admission: () => Admission = unlimited): Book {
  return run(scenario, { seed, admission, signal: true });
}

/** The mean of independent runs, and how far it may be from the truth: 99 % of the time no farther. */
export function estimate(seeds: number, once: (seed: number) => number): { mean: number; within: number } {
  const values = Array.from({ length: seeds }, (_, seed) => once(seed + 1));
  const mean = values.reduce((sum, value) => sum + value, 0) / seeds;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (seeds - 1);
  // Student's t for 15 degrees of freedom; a little wide for more.
  return { mean, within: 2.95 * Math.sqrt(variance / seeds) };
}
