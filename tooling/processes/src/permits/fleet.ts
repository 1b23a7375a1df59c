import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FleetSettings } from "./settings.ts";
import type { PermitStore, StartedStore } from "./stores/permit-store.ts";
import { WorkerProcess } from "./worker-process.ts";

/** Twenty processes that start at once on a small machine take their time. */
const START_MS = 120_000;

/** How one worker differs from the others. */
export interface Role {
  readonly throughProxy?: boolean;
  readonly wallClockOffMs?: number;
  /** Receives every line that it says. */
  readonly onLine?: (line: string) => void;
}

/** A started store and the workers on it; all of it ends with the block that it is used in. */
export interface Fleet extends AsyncDisposable {
  readonly store: StartedStore;
  readonly workers: readonly WorkerProcess[];
}

/** Starts a store, and a worker for each role; every one of them is ready to go. */
export async function openFleet(store: PermitStore, settings: FleetSettings, roles: readonly Role[]): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "dt-permits-logs-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const started = await store.start();
  stack.defer(() => started.stop());
  const { module, factory, options, throughProxy } = started;
  const deadline = settings.timeout === undefined ? {} : { timeout: settings.timeout };
  const workers = roles.map((role, worker) => {
    const address = role.throughProxy ? (throughProxy ?? options) : options;
    const own = { worker, wallClockOffMs: role.wallClockOffMs ?? 0, log: join(folder, `${worker}.log`) };
    const whole = { ...settings, module, factory, store: { ...address, ...deadline }, ...own };
    return stack.use(new WorkerProcess(whole, role.onLine));
  });
  await Promise.all(workers.map((worker) => worker.said("ready", START_MS)));
  const kept = stack.move();
  return { store: started, workers, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
