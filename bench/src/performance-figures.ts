import type { BudgetFigures } from "./budgets/budgets.ts";
import type { FleetFigures } from "./fleet/fleet.ts";
import type { HotPathFigures } from "./hot-path/hot-path.ts";
import type { HttpFigures } from "./http/http.ts";
import type { KeysFigures } from "./keys/keys.ts";
import type { MetricsFigures } from "./metrics/metrics.ts";
import type { PermitFigures } from "./permits/permits.ts";
import type { PipelineFigures } from "./pipeline/pipeline.ts";
import { figuresOf } from "./plots/plots.ts";
import type { RateAccuracyFigures } from "./rate-accuracy/rate-accuracy.ts";
import { count, figure } from "./report/format.ts";
import type { SemaphoreFigures } from "./semaphore/semaphore.ts";
import { median, spread } from "./statistics.ts";
import type { SyncFigures } from "./sync/sync.ts";

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
const middle = (values: readonly (number | null | undefined)[]): number | null =>
  median(values.flatMap((value) => value ?? []));

/** The one of a name. @throws Error when the results have none */
function named<One extends { readonly name: string }>(all: readonly One[], name: string): One {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the kept results have no ${name} any more: change the page's guide`);
  return found;
}

/** What one grant costs. As text, for the page. */
export function grantFigures() {
  const { synchronous, awaited, storeCommands } = figuresOf<HotPathFigures>("hot-path");
  const ns = ({ candidates }: HotPathFigures["awaited"], name: string): string =>
    figure(named(candidates, name).nsPerOp.median);
  const peers = ({ candidates }: HotPathFigures["awaited"]): number[] =>
    candidates
      .filter(({ keepsTime, package: origin }) => keepsTime && origin !== null && !origin.startsWith("@dt/"))
      .map(({ nsPerOp }) => nsPerOp.median);
  return {
    at: ns(synchronous, "@dt/core tryAcquire, epoch"),
    clock: ns(synchronous, "performance.now()"),
    peersFrom: figure(Math.min(...peers(synchronous))),
    peersTo: figure(Math.max(...peers(synchronous))),
    awaited: ns(awaited, "@dt/core acquire, epoch"),
    emptyAwait: ns(awaited, "await undefined"),
    awaitedFrom: figure(Math.min(...peers(awaited))),
    seconds: storeCommands.granting.seconds,
    grants: count(storeCommands.granting.grants),
    syncs: storeCommands.granting.scripts,
    idleSyncs: storeCommands.idle.scripts,
  };
}

/** What ways to share make of a limit. As text, for the page. */
export function fleetFigures() {
  const { approaches } = figuresOf<FleetFigures>("fleet");
  const of = (name: string) => {
    const { used, commandsPerSecond, lightMedianWaitMs } = named(approaches, name);
    return { used: percent(used), commands: figure(commandsPerSecond), light: figure(lightMedianWaitMs) };
  };
  const asking = ["pacer", "rate-limiter-flexible", "bottleneck"].map((name) => named(approaches, name));
  const span = (values: readonly (number | null)[]): [string, string] => {
    const known = values.flatMap((value) => value ?? []);
    return [figure(Math.min(...known)), figure(Math.max(...known))];
  };
  const [least, most] = span(asking.map(({ commandsPerSecond }) => commandsPerSecond));
  const [lightFrom, lightTo] = span(asking.map(({ lightMedianWaitMs }) => lightMedianWaitMs));
  return {
    demand: of("demand"),
    even: of("even"),
    pacer: of("pacer"),
    flexible: of("rate-limiter-flexible"),
    bottleneck: of("bottleneck"),
    others: `${(100 * Math.min(...asking.map(({ used }) => used))).toFixed(1)} to ${percent(Math.max(...asking.map(({ used }) => used)))}`,
    least,
    most,
    lightFrom,
    lightTo,
  };
}

/** What a limit on calls in flight costs. As text, for the page. */
export function flightFigures() {
  const { loads } = figuresOf<SemaphoreFigures>("semaphore");
  const [many, few] = loads;
  const of = (name: string) => {
    const { used, requestsPerCall } = named(many?.approaches ?? [], name);
    return { used: percent(used), requests: figure(requestsPerCall) };
  };
  return {
    own: of("createSemaphore on Redis"),
    semaphore: of("redis-semaphore"),
    bullmq: of("bullmq"),
    few: figure(named(few?.approaches ?? [], "createSemaphore on Redis").requestsPerCall),
  };
}

/** What a provider's quota costs. As text, for the page. */
export function quotaFigures() {
  const { approaches } = figuresOf<BudgetFigures>("budgets");
  const of = (name: string) => {
    const { rounds } = named(approaches, name);
    return {
      used: percent(spread(rounds.map(({ usedRequests, usedTokens }) => Math.max(usedRequests, usedTokens))).median),
      requests: figure(middle(rounds.map(({ requestsPerCall }) => requestsPerCall))),
      waits: figure(middle(rounds.map(({ lightWaitMs }) => lightWaitMs?.[0]))),
    };
  };
  return { own: of("createBudget"), flexible: of("rate-limiter-flexible"), bottleneck: of("bottleneck") };
}

/** What decisions about keys cost. As text, for the page. */
export function tenantFigures() {
  const { approaches } = figuresOf<KeysFigures>("keys");
  const of = (name: string) => {
    const loaded = named(approaches, name).rounds.map(({ parts }) => parts.loaded);
    return {
      commands: figure(middle(loaded.map(({ commandsPerDecision }) => commandsPerDecision))),
      ms: figure(middle(loaded.map(({ othersMs }) => othersMs?.[0]))),
      hotMs: figure(middle(loaded.map(({ hotMs }) => hotMs?.[0]))),
    };
  };
  return { own: of("createKeyed"), other: of("rate-limiter-flexible") };
}

/** What a sync costs. As text, for the page. */
export function syncFigures() {
  const { sizes } = named(figuresOf<SyncFigures>("sync").stores, "redis");
  return {
    serverUs: figure(sizes[0]?.serverUsPerSync ?? null),
    growth: figure(sizes.at(-1)?.growth.median ?? null),
  };
}

/** How exact the pacer is. As text, for the page. */
export function paceFigures() {
  const { limiters } = figuresOf<RateAccuracyFigures>("rate-accuracy");
  const most = (own: boolean): number[] =>
    limiters.filter(({ version }) => (version === null) === own).map(({ a, b }) => Math.max(a.most, b.most));
  const { againstPeer } = figuresOf<PermitFigures>("permits");
  return {
    own: Math.max(...most(true)),
    from: Math.min(...most(false)),
    to: Math.max(...most(false)),
    permit: figure(againstPeer.median),
  };
}

/** What requests, metrics and pipelines add. As text, for the page. */
export function aroundFigures() {
  const { candidates } = figuresOf<HttpFigures>("http");
  const client = named(candidates, "undici + @dt/http");
  const { collections } = figuresOf<MetricsFigures>("metrics");
  const { idle, memory } = figuresOf<PipelineFigures>("pipeline");
  return {
    http: figure(client.cpuRatio.median),
    fetch: figure(named(candidates, "@dt/http fetch").cpuRatio.median),
    httpUs: figure(client.cpuUs.median - named(candidates, client.beside).cpuUs.median),
    collectMs: figure(
      (collections.find(({ throttles }) => throttles === 100)?.microseconds.median ?? Number.NaN) / 1e3,
    ),
    recordUs: figure(named(idle.candidates, "@dt/pipeline, throttled").microsecondsPerRecord.median),
    plainUs: figure(named(idle.candidates, "p-limit").microsecondsPerRecord.median),
    heap: figure(named(memory.candidates, "@dt/pipeline, with files").samples.at(-1)?.heapMiB ?? null),
  };
}
