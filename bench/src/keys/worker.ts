/** One process of the fleet: `node worker.ts '<settings as JSON>'`. */
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "@dt-tooling/simulator/random";
import { hear, localMs, tell } from "../processes/child-side.ts";
import { approaches } from "./approaches.ts";
import type { Stretch, WorkerReport, WorkerSettings } from "./plan.ts";
import { Zipf } from "./zipf.ts";

/** The hot tenants: one asks at the first process alone, one at all of them. The noisy one asks at the second. */
const [STICKY, SPREAD, NOISY] = ["hot-sticky", "hot-spread", "noisy"];

const settings = JSON.parse(process.argv[2] ?? "") as WorkerSettings;
const { plan, worker } = settings;
const approach = approaches.find(({ name }) => name === settings.approach);
if (approach === undefined) throw new Error(`there is no approach ${settings.approach}`);
const limits = await approach.open(settings);
const random = new Random(worker + 1, "tenants");
const tenants = new Zipf(plan.tenants);

type Books = { -readonly [Name in keyof WorkerReport]: WorkerReport[Name] } & {
  othersMs: number[];
  hotMs: number[];
  allowedAtMs: number[][];
  errors: string[];
};

/** Asks for a tenant at random times, so often on average, until the end. */
async function ask(perSecond: number, toMs: number, decide: () => Promise<void>): Promise<void> {
  if (perSecond === 0) return;
  let dueMs = performance.now();
  for (;;) {
    dueMs += (-Math.log(1 - random.next()) * 1_000) / perSecond;
    if (dueMs >= toMs) return;
    // A timer that is late must not make the fleet ask less often.
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    void decide();
  }
}

async function serve({ part, ...times }: Stretch): Promise<WorkerReport> {
  const [beginMs, fromMs, toMs] = [times.beginMs, times.fromMs, times.toMs].map(localMs) as [number, number, number];
  const books: Books = { othersMs: [], hotMs: [], decisions: 0, othersRefused: 0, allowedAtMs: [[], []], errors: [] };
  const decide = async (tenant: string, count: (tookMs: number, allowed: boolean) => void): Promise<void> => {
    const askedMs = performance.now();
    try {
      const allowed = await limits.check(tenant);
      if (askedMs < fromMs || askedMs >= toMs) return;
      books.decisions += 1;
      count(performance.now() - askedMs, allowed);
    } catch (error) {
      books.errors.push(String(error));
    }
  };
  const hot = (tenant: string, place: number) => () =>
    decide(tenant, (tookMs, allowed) => {
      books.hotMs.push(tookMs);
      if (allowed) books.allowedAtMs[place]?.push(Date.now());
    });
  const others = () =>
    decide(`tenant-${tenants.next(random)}`, (tookMs, allowed) => {
      books.othersMs.push(tookMs);
      if (!allowed) books.othersRefused += 1;
    });
  const { processes, othersPerSecond, hotPerSecond, noisyPerSecond } = plan;
  const isHot = part !== "quiet";
  await sleep(beginMs - performance.now());
  await Promise.all([
    ask(othersPerSecond / processes, toMs, others),
    ask(isHot && worker === 0 ? hotPerSecond : 0, toMs, hot(STICKY as string, 0)),
    ask(isHot ? hotPerSecond / processes : 0, toMs, hot(SPREAD as string, 1)),
    ask(part === "noisy" && worker === 1 ? noisyPerSecond : 0, toMs, () => decide(NOISY as string, () => undefined)),
  ]);
  await sleep(Math.max(0, toMs - performance.now()) + 200);
  return books;
}

tell("ready");
for (;;) tell(await serve(await hear<Stretch>()));
