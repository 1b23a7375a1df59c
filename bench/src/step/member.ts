/** One member of the fleet, in a process of its own: `node member.ts '<settings as JSON>'`. */
import { setTimeout as sleep } from "node:timers/promises";
import { createThrottle } from "@dt/core";
import { hear, tell } from "../fleet/child-side.ts";
import { fairPart, type MemberSettings, type Others, type Step, type StepStore } from "./plan.ts";

const { group, store: where, plan, role } = JSON.parse(process.argv[2] ?? "") as MemberSettings;
const WINDOW_MS = 1_000;
const FULL = 0.9;
/** So many wait where a member saturates its part. */
const LINE = 20;

const store = await open(where);
// A busy machine may take long to start everybody.
const throttle = createThrottle({ group, max: plan.max, shares: "demand", store, storeTimeout: "2.2s" });
await throttle.start();
tell("ready");
if (role === "steps") {
  const others = await hear<{ readonly others: Others }>();
  // A new group learns first on a store that may have lost data, and gives out nothing: that is no part of a step.
  await throttle.acquire();
  const steps: Step[] = [];
  for (let step = 0; step < plan.steps; step++) {
    // At any instant of an epoch.
    await sleep(plan.idleMs + Math.random() * WINDOW_MS);
    steps.push(await ask(fairPart(plan, others.others)));
  }
  tell(steps);
} else if (role === "saturated") {
  await Promise.all(Array.from({ length: LINE }, saturate));
}

async function saturate(): Promise<void> {
  for (;;) await throttle.acquire().catch(() => sleep(20));
}

/** Asks for `askMs`; what waits at the end is given up. */
async function ask(fair: number): Promise<Step> {
  const beginMs = performance.now();
  const over = new AbortController();
  const grantedMs: number[] = [];
  const waiting: Promise<void>[] = [];
  const request = async (): Promise<void> => {
    try {
      if (await throttle.acquire(1, { signal: over.signal })) grantedMs.push(performance.now() - beginMs);
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
  };
  for (let asked = 0; performance.now() - beginMs < plan.askMs; asked++) {
    waiting.push(request());
    await sleep(Math.max(0, beginMs + ((asked + 1) * 1_000) / plan.asks - performance.now()));
  }
  over.abort();
  await Promise.all(waiting);
  const tokens = Math.ceil(FULL * fair);
  const full = grantedMs.findIndex((atMs, i) => {
    const first = i - tokens + 1;
    return first >= 0 && atMs - (grantedMs[first] as number) <= WINDOW_MS;
  });
  return { firstTokenMs: grantedMs[0] ?? null, fairPartMs: full < 0 ? null : (grantedMs[full] as number) };
}

async function open({ kind, url }: StepStore): Promise<Parameters<typeof createThrottle>[0]["store"]> {
  if (kind === "redis") return (await import("@dt/redis")).redisStore({ url, timeout: "2s" });
  return (await import("@dt/postgres")).postgresStore({ connectionString: url, push: true, timeout: "2s" });
}
