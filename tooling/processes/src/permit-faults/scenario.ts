import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Judgement, judge } from "./judge.ts";
import type { PacerSettings } from "./settings.ts";
import type { FaultStore, StartedStore } from "./stores/fault-store.ts";
import { WorkerProcess } from "./worker-process.ts";

const PERMIT_TTL_MS = 400;
/**
 * Each has its part: one dies, one stands still, one is behind the proxy, one has a wrong clock, one is stormed by
 * callers.
 */
const ROLES = ["dies", "stands still", "cut off", "wrong clock", "crowded"] as const;
const START_MS = 60_000;
const CALM_MS = 400;
const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Lets five processes take permits of one key while everything goes wrong once, one fault after the other, and says
 * what came of it.
 */
export async function runFaults(store: FaultStore, say: (line: string) => void = () => {}): Promise<Judgement> {
  const { everyMs = 20, hybridClock = false } = store;
  const pacer: PacerSettings = { every: everyMs, maxReserved: 15, permitTtl: PERMIT_TTL_MS, storeTimeout: 1_250 };
  const folder = mkdtempSync(join(tmpdir(), "dt-permit-faults-logs-"));
  const started = await store.start();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  stack.defer(() => started.stop());
  const boot = (worker: number, role: string): WorkerProcess => {
    const { module, factory, options, throughProxy } = started;
    return stack.use(
      new WorkerProcess({
        worker,
        module,
        factory,
        store: role === "cut off" ? (throughProxy ?? options) : options,
        pacer,
        callers: 3,
        wallClockOffMs: role === "wrong clock" ? 5_000 : 0,
        log: join(folder, `${worker}.log`),
      }),
    );
  };
  const workers = ROLES.map((role, i) => boot(i, role));
  const newcomer = boot(ROLES.length, "newcomer");
  await Promise.all([...workers, newcomer].map((worker) => worker.said("ready", START_MS)));
  for (const worker of workers) worker.tell("go");
  await faults(started, workers, say);
  const calmFromMs = machineMs();
  await sleep(3 * CALM_MS + 20 * everyMs);
  const calmUntilMs = machineMs();
  for (const worker of workers) worker.tell("stop");
  await Promise.all(workers.map((worker) => worker.ended(10_000)));
  newcomer.tell("go");
  await sleep(CALM_MS + 20 * everyMs);
  newcomer.tell("stop");
  await newcomer.ended(10_000);
  const logs = [...workers, newcomer].map((worker) => worker.log());
  return judge(logs, pacer, { calmFromMs, calmUntilMs, newcomer: ROLES.length, hybridClock });
}

async function faults(
  store: StartedStore,
  workers: readonly WorkerProcess[],
  say: (line: string) => void,
): Promise<void> {
  const worker = (role: (typeof ROLES)[number]): WorkerProcess => workers[ROLES.indexOf(role)] as WorkerProcess;
  const go = async (what: string, fault: (() => Promise<void>) | undefined): Promise<void> => {
    await sleep(CALM_MS);
    if (!fault) return;
    say(what);
    await fault();
  };
  await go("a holder is killed", async () => {
    await worker("dies").said("granted", START_MS);
    await worker("dies").kill();
  });
  await go("a process stands still beyond permitTtl", () => worker("stands still").standStill(3 * PERMIT_TTL_MS));
  await go("the store stands still", () => store.standStill(1_700));
  await go("the store is restarted", store.restart);
  await go(
    "replies are lost",
    store.loseReplies && (() => (store.loseReplies as (ms: number) => Promise<void>)(1_700)),
  );
  await go("a thousand callers give up at once", async () => {
    worker("crowded").tell("crowd 1000");
    await worker("crowded").said("crowd is gone", 10_000);
  });
}
