import { setTimeout as sleep } from "node:timers/promises";
import { machineNow } from "../machine-now.ts";
import { type Fleet, openFleet } from "./fleet.ts";
import { type Judgement, judge } from "./judge.ts";
import type { PacerSettings } from "./settings.ts";
import type { PermitStore } from "./stores/permit-store.ts";
import type { WorkerProcess } from "./worker-process.ts";

const PERMIT_TTL_MS = 400;
const CALM_MS = 400;
const FIRST_PERMIT_MS = 60_000;
const END_MS = 10_000;

/** Each has its part; the newcomer comes when the others have left. */
const ROLES = {
  dies: {},
  standsStill: {},
  cutOff: { throughProxy: true },
  wrongClock: { wallClockOffMs: 5_000 },
  crowded: {},
  newcomer: {},
} as const;
const NAMES = Object.keys(ROLES) as (keyof typeof ROLES)[];

/**
 * Lets five processes take permits of one key while everything goes wrong once, one fault after the other, and says
 * what came of it.
 */
export async function runFaults(store: PermitStore, say: (line: string) => void = () => {}): Promise<Judgement> {
  const { leastEveryMs: everyMs = 20, hybridClock = false } = store;
  const pacer: PacerSettings = { every: everyMs, maxReserved: 15, permitTtl: PERMIT_TTL_MS, storeTimeout: 1_250 };
  const settings = { pacer, callers: 3, pauseMs: 5, callTimeoutMs: 4_000 };
  await using fleet = await openFleet(store, settings, Object.values(ROLES));
  const newcomer = fleet.workers.at(-1) as WorkerProcess;
  const workers = fleet.workers.slice(0, -1);
  for (const worker of workers) worker.tell("go");
  await faults(fleet, say);
  const calmFromMs = machineNow();
  await sleep(3 * CALM_MS + 20 * everyMs);
  const calmUntilMs = machineNow();
  for (const worker of workers) worker.tell("stop");
  await Promise.all(workers.map((worker) => worker.ended(END_MS)));
  newcomer.tell("go");
  await sleep(CALM_MS + 20 * everyMs);
  newcomer.tell("stop");
  await newcomer.ended(END_MS);
  const logs = fleet.workers.map((worker) => worker.log());
  return judge(logs, pacer, { calmFromMs, calmUntilMs, newcomer: workers.length, hybridClock });
}

async function faults({ store, workers }: Fleet, say: (line: string) => void): Promise<void> {
  const worker = (role: keyof typeof ROLES): WorkerProcess => workers[NAMES.indexOf(role)] as WorkerProcess;
  const { restart, loseReplies } = store;
  const go = async (what: string, fault: (() => Promise<void>) | undefined): Promise<void> => {
    await sleep(CALM_MS);
    if (!fault) return;
    say(what);
    await fault();
  };
  await go("a holder is killed", async () => {
    await worker("dies").said("granted", FIRST_PERMIT_MS);
    await worker("dies").kill();
  });
  await go("a process stands still beyond permitTtl", () => worker("standsStill").standStill(3 * PERMIT_TTL_MS));
  await go("the store stands still", () => store.standStill(1_700));
  await go("the store is restarted", restart);
  await go("replies are lost", loseReplies && (() => loseReplies(1_700)));
  await go("a thousand callers give up at once", async () => {
    worker("crowded").tell("crowd 1000");
    await worker("crowded").said("crowd is gone", 10_000);
  });
}
