import { rateAt } from "./arrivals.ts";
import type { Callee, CalleeChange, Clients, Scenario } from "./scenario.ts";
import { serviceTimes } from "./service.ts";

/** Everything over time is kept in bins of so long. */
export const BIN_MS = 100;

/** What could be had: of a limiter that knows everything. */
export interface Ideal {
  /**
   * For each bin: cost a second that clients offer (failing calls left out), that the callee can do, and that can
   * succeed in time.
   */
  readonly offered: Float64Array;
  readonly capacity: Float64Array;
  readonly goodput: Float64Array;
  /**
   * Work that the callee's servers can do together of what it does not refuse anyway, in milliseconds of work a
   * millisecond.
   */
  readonly power: Float64Array;
  /** The 99th percentile of latency without waiting, in milliseconds. */
  readonly noLoadP99Ms: Float64Array;
  /** When something changed, a start included, in seconds. */
  readonly stepSeconds: readonly number[];
}

/** How the callee is at an instant. */
export interface CalleeState {
  readonly servers: number;
  readonly slower: number;
  readonly failures: number;
  readonly refusals: number;
}

export function idealOf(scenario: Scenario): Ideal {
  const { callee, seconds } = scenario;
  const bins = Math.round((1_000 * seconds) / BIN_MS);
  const ideal = {
    offered: new Float64Array(bins),
    capacity: new Float64Array(bins),
    goodput: new Float64Array(bins),
    power: new Float64Array(bins),
    noLoadP99Ms: new Float64Array(bins),
    stepSeconds: stepsOf(scenario),
  };
  const { meanMs } = serviceTimes(callee.service);
  const unqueued = new Map<number, NoLoad>();
  const powers = new Map<number, number>();
  for (let bin = 0; bin < bins; bin++) {
    const at = ((bin + 0.5) * BIN_MS) / 1_000;
    const { servers, slower, failures, refusals } = stateAt(callee, at);
    const noLoad = unqueued.get(slower) ?? noLoadOf(scenario, slower);
    unqueued.set(slower, noLoad);
    const power = powers.get(servers) ?? powerOf(callee, servers);
    powers.set(servers, power);
    const capacity = (1_000 * power) / (meanMs * slower);
    const offered = offeredAt(scenario.clients, at, noLoad.meanMs) * (1 - failures) * (1 - refusals);
    ideal.offered[bin] = offered;
    ideal.capacity[bin] = capacity;
    ideal.goodput[bin] = Math.min(offered, capacity) * noLoad.inTime;
    ideal.power[bin] = power * (1 - refusals);
    ideal.noLoadP99Ms[bin] = noLoad.p99Ms;
  }
  return ideal;
}

export function stateAt(callee: Callee, seconds: number): CalleeState {
  let state: CalleeState = { servers: callee.servers, slower: 1, failures: callee.failures ?? 0, refusals: 0 };
  for (const change of callee.changes ?? []) if (change.atSeconds <= seconds) state = changed(state, change);
  return state;
}

export function changed(state: CalleeState, { atSeconds: _, ...change }: CalleeChange): CalleeState {
  return { ...state, ...change };
}

/** How many times as long a call takes when so many run at a time. */
export function slowdown({ contention = 0, coherence = 0 }: Callee, running: number): number {
  return 1 + (running - 1) * (contention + coherence * running);
}

/** The most work that gets done at a time: of all servers, or of as many as do best together. */
function powerOf(callee: Callee, servers: number): number {
  const { contention = 0, coherence = 0 } = callee;
  let best = servers;
  if (contention > 0 || coherence > 0) {
    best = 0;
    for (let n = 1; n <= servers; n++) best = Math.max(best, n / slowdown(callee, n));
  }
  const { pauses } = callee;
  return pauses === undefined ? best : best * (pauses.everyMs / (pauses.everyMs + pauses.lastMs));
}

export const meanCost = ({ cost = 1 }: Clients): number =>
  typeof cost === "number" ? cost : cost.reduce((sum, one) => sum + one.cost * one.share, 0) / shares(cost);

function shares(costs: readonly { readonly share: number }[]): number {
  return costs.reduce((sum, { share }) => sum + share, 0);
}

/** Cost a second that all clients offer together. */
function offeredAt(clients: readonly Clients[], seconds: number, noLoadMs: number): number {
  let sum = 0;
  for (const kind of clients) {
    const { load } = kind;
    const each = load.kind === "open" ? rateAt(load, seconds) : (1_000 * load.users) / (load.thinkMs + noLoadMs);
    for (let i = 0; i < (kind.count ?? 1); i++) if (startOf(kind, i) <= seconds) sum += each * meanCost(kind);
  }
  return sum;
}

export function startOf({ startSeconds = 0, staggerSeconds = 0 }: Clients, index: number): number {
  return startSeconds + index * staggerSeconds;
}

interface NoLoad {
  readonly meanMs: number;
  readonly p99Ms: number;
  /** The part of the calls that takes no longer than a client waits. */
  readonly inTime: number;
}

const POINTS = 20_000;
/** Steps of sequences that fill the unit square evenly: powers of the plastic number. */
const STEP_1 = 0.7548776662466927;
const STEP_2 = 0.5698402909980532;

/** Latency where no call ever waits: points spread evenly over service times and clients. */
function noLoadOf({ callee, clients, timeoutMs }: Scenario, slower: number): NoLoad {
  const service = serviceTimes(callee.service);
  const kinds = clients.map((kind) => ({ roundTripMs: kind.roundTripMs ?? 2, share: weightOf(kind) }));
  const latencies = new Float64Array(POINTS);
  let sum = 0;
  for (let i = 0; i < POINTS; i++) {
    const { roundTripMs } = atPart(kinds, (i * STEP_2) % 1);
    // With one kind, points at equal distances are more exact.
    const part = kinds.length === 1 ? (i + 0.5) / POINTS : (i * STEP_1) % 1;
    latencies[i] = roundTripMs + service.at(part) * slower;
    sum += latencies[i] as number;
  }
  latencies.sort();
  return {
    meanMs: sum / POINTS,
    p99Ms: latencies[Math.floor(0.99 * POINTS)] as number,
    inTime: latencies.reduce((count, latency) => count + (latency <= timeoutMs ? 1 : 0), 0) / POINTS,
  };
}

interface Part {
  readonly roundTripMs: number;
  readonly share: number;
}

/** How many calls come from clients of a kind, compared with other kinds. */
function weightOf({ load, count = 1 }: Clients): number {
  if (load.kind === "closed") return count * load.users;
  return count * Math.max(load.perSecond, ...(load.changes ?? []).map((change) => change.perSecond));
}

function atPart(parts: readonly Part[], at: number): Part {
  let left = at * shares(parts);
  for (const part of parts) {
    left -= part.share;
    if (left < 0) return part;
  }
  return parts[parts.length - 1] as Part;
}

function stepsOf({ callee, clients, seconds }: Scenario): number[] {
  const steps = new Set<number>([0]);
  for (const { atSeconds } of callee.changes ?? []) steps.add(atSeconds);
  for (const kind of clients) {
    for (let i = 0; i < (kind.count ?? 1); i++) steps.add(startOf(kind, i));
    if (kind.load.kind === "open") for (const { atSeconds } of kind.load.changes ?? []) steps.add(atSeconds);
  }
  return [...steps].filter((step) => step < seconds).sort((a, b) => a - b);
}
