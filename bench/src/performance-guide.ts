import {
  aroundFigures,
  fleetFigures,
  flightFigures,
  grantFigures,
  paceFigures,
  quotaFigures,
  syncFigures,
  tenantFigures,
} from "./performance-figures.ts";
import { benchmarks } from "./registry.ts";

/** The first part of the page: what readers ask, and what the kept results answer. */
export function performanceGuide(): string {
  const [grant, fleet, flight, quota] = [grantFigures(), fleetFigures(), flightFigures(), quotaFigures()];
  const [tenants, sync, pace, around] = [tenantFigures(), syncFigures(), paceFigures(), aroundFigures()];
  return paragraphs(`# Performance

One grant takes about as long as one look at the clock, and no request to a server. This page has the questions that
readers ask, with short answers, and then the figures behind them.

| question | answer |
| --- | --- |
| [What does one grant cost?](#what-does-one-grant-cost) | ${grant.at} ns with \`tryAcquire\`, ${grant.awaited} ns with \`await acquire()\` |
| [What does it do for my fleet?](#what-does-it-do-for-my-fleet) | ${fleet.demand.used} of a limit used, ${fleet.demand.commands} commands to Redis a second and process |
| [What does a store have to do?](#what-does-a-store-have-to-do) | one sync a second for each process; [stores](stores.md) compares all stores |
| [What does a provider's quota of tokens cost?](#what-does-a-providers-quota-of-tokens-cost) | ${quota.own.requests} requests to Redis for each call |
| [What does a limit for each tenant cost?](#what-does-a-limit-for-each-tenant-cost) | ${tenants.own.commands} commands to Redis for each decision |
| [What does a limit on calls in flight cost?](#what-does-a-limit-on-calls-in-flight-cost) | ${flight.own.requests} requests to Redis for each call, where slots are many |
| [How exact is the pace of a pacer?](#how-exact-is-the-pace-of-a-pacer) | ${pace.own} calls start in any 980 ms, where 10 a second are allowed |
| [What do HTTP, metrics and pipelines add?](#what-do-http-metrics-and-pipelines-add) | ${around.httpUs} µs for a request, nothing for a measured grant, ${around.recordUs} µs for a record |

## What does one grant cost?

![Nanoseconds for one grant. At once: a look at the clock ${grant.clock}, tryAcquire ${grant.at}, other limiters ${grant.peersFrom} to ${grant.peersTo}. Awaited: an empty await ${grant.emptyAwait}, acquire ${grant.awaited}, other limiters ${grant.awaitedFrom} and more.](plots/grant-cost.svg)

\`tryAcquire\` takes ${grant.at} ns, and a bare \`performance.now()\` ${grant.clock} ns. It leaves nothing on the heap.
\`await acquire()\` takes ${grant.awaited} ns, of which an empty \`await\` is ${grant.emptyAwait} ns. A grant costs the store nothing: in
${grant.seconds} s a throttle that granted ${grant.grants} tokens sent ${grant.syncs} syncs, and an idle one ${grant.idleSyncs}.
Figures: [hot-path](${linkTo("hot-path")}).

A slot of a concurrency limit costs more, since the limit measures every call. Figures:
[concurrency-limit](${linkTo("concurrency-limit")}).

## What does it do for my fleet?

![Of the limit used: by demand ${fleet.demand.used}, even parts ${fleet.even.used}, the pacer ${fleet.pacer.used}, rate-limiter-flexible ${fleet.flexible.used}, bottleneck ${fleet.bottleneck.used}. Commands to Redis a second and process: ${fleet.demand.commands}, ${fleet.even.commands}, ${fleet.pacer.commands}, ${fleet.flexible.commands} and ${fleet.bottleneck.commands}.](plots/fleet-use.svg)

Five processes share a limit, and one of them has 80 % of the work. With shares by demand, the default on Redis, the
fleet uses ${fleet.demand.used} of the limit, and no call is answered 429. With an even part each it uses ${fleet.even.used}.
The pacer and two other libraries use ${fleet.others}. They ask Redis for every call, and so send ${fleet.least} to ${fleet.most}
commands a second and process in place of ${fleet.demand.commands}. A call of a light process waits ${fleet.demand.light} ms in the median by demand, and
${fleet.lightFrom} to ${fleet.lightTo} ms with those three. Figures: [fleet](${linkTo("fleet")}). [What a fleet reaches](shares.md) has more
kinds of demand.

## What does a store have to do?

Each process sends one sync a second. On Redis a sync is one script, which takes the server ${sync.serverUs} µs in a group of
10 members. In a group of 10,000 members a sync takes ${sync.growth} times as long. Figures: [sync](${linkTo("sync")}), and for every
store [stores](stores.md#figures).

## What does a provider's quota of tokens cost?

![Used of the limit that binds: createBudget ${quota.own.used}, rate-limiter-flexible ${quota.flexible.used}, bottleneck ${quota.bottleneck.used}. Requests to Redis for each call: ${quota.own.requests}, ${quota.flexible.requests} and ${quota.bottleneck.requests}.](plots/budget-use.svg)

A greedy process and four light ones share a quota of requests and tokens. \`createBudget\` uses ${quota.own.used} of the
limit that binds. It sends ${quota.own.requests} requests to Redis for each call, since
settlements travel with the next reservation. The two others use
${quota.flexible.used} and ${quota.bottleneck.used}, with ${quota.flexible.requests} and ${quota.bottleneck.requests} requests. A call of a light process waits
${quota.own.waits} ms in the median, with the others ${quota.flexible.waits} and ${quota.bottleneck.waits} ms. None was answered 429. Figures:
[budgets](${linkTo("budgets")}).

## What does a limit for each tenant cost?

![Commands to Redis for each decision: createKeyed ${tenants.own.commands}, rate-limiter-flexible ${tenants.other.commands}. A decision about a tenant with few calls takes ${tenants.own.ms} and ${tenants.other.ms} ms, with many calls ${tenants.own.hotMs} and ${tenants.other.hotMs} ms.](plots/keyed-decisions.svg)

Three processes serve 10,000 tenants. \`createKeyed\` sends ${tenants.own.commands} commands to Redis for each decision, since it asks for many
keys at once, and keeps some units of busy keys in hand. \`rate-limiter-flexible\` sends ${tenants.other.commands}. A decision about a tenant
with many calls is faster: ${tenants.own.hotMs} ms in the median, and ${tenants.other.hotMs} ms. A decision about a tenant with few calls is slower:
${tenants.own.ms} ms, and ${tenants.other.ms} ms. The machine was busy in this run, so the times are long for both. Figures:
[keys](${linkTo("keys")}).

## What does a limit on calls in flight cost?

At most 40 calls may be in flight, over ten processes. \`createSemaphore\` on Redis uses ${flight.own.used} of that, and sends ${flight.own.requests}
requests for each call. \`redis-semaphore\` uses ${flight.semaphore.used} and sends ${flight.semaphore.requests}; \`bullmq\` uses ${flight.bullmq.used} and sends
${flight.bullmq.requests}. With fewer slots than processes \`createSemaphore\` sends ${flight.few} requests for each call. Figures:
[semaphore](${linkTo("semaphore")}).

## How exact is the pace of a pacer?

Ten calls a second are allowed. With the pacer at most ${pace.own} start in any 980 ms, also after a time without calls. With other
limiters it is ${pace.from} to ${pace.to}. Figures: [rate-accuracy](${linkTo("rate-accuracy")}).

A permit on Redis takes ${pace.permit} times as long as one of \`redis-gcra\`. A process that takes permits in blocks of 100 sends one
request for each block. Figures: [permits](${linkTo("permits")}).

## What do HTTP, metrics and pipelines add?

- **HTTP.** A request through \`@dt/http\` takes ${around.http} times the processor time of plain undici, and ${around.fetch} times that of
  plain \`fetch\`. On a server that answers at once that is ${around.httpUs} µs more. Figures: [http](${linkTo("http")}).
- **Metrics.** A grant takes as long with \`@dt/otel\` as without, within the spread of the measurement. To read 100 throttles takes
  ${around.collectMs} ms, as often as metrics are exported. Figures: [metrics](${linkTo("metrics")}).
- **Pipelines.** A record with an empty call takes ${around.recordUs} µs, and ${around.plainUs} µs in a bare loop of \`p-limit\`. With
  calls over HTTP the difference is small. A pipeline holds ${around.heap} MiB while a million records go through. Figures:
  [pipeline](${linkTo("pipeline")}).

## The benchmarks

\`npm run bench -- <name> --save\` measures one benchmark, keeps the result in \`bench/results/\`, and writes this page and
its plots. So do not edit the page. Compare ratios, not nanoseconds: those depend on the machine. Benchmarks are in
\`bench/\`, one folder each. Run them on a machine with nothing else to do. Each section ends with targets, which a bench
run checks; a target that is not met is marked.
`);
}

/** Where a benchmark's section is on this page. */
function linkTo(name: string): string {
  const summary = benchmarks.find((benchmark) => benchmark.name === name)?.summary;
  if (summary === undefined) throw new Error(`there is no benchmark ${name}`);
  const heading = `${name}: ${summary}`.toLowerCase();
  return `#${heading.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")}`;
}

/** Each paragraph and each item of a list in one line, so that the page wraps them once the figures are in. */
function paragraphs(page: string): string {
  return page
    .split("\n\n")
    .map((block) => (/^[|#]/.test(block) ? block : block.replace(/\n(?!- )\s*/g, " ").trim()))
    .join("\n\n")
    .concat("\n");
}
