import {
  type CoordinationStore,
  createThrottle,
  isDtError,
  MemoryStore,
  type Throttle,
  type ThrottleOptions,
} from "@dt/core";
import { openStore } from "../../stores/open-store.ts";
import { nowMs } from "../clock.ts";
import { Journal } from "../journal.ts";
import { TIMINGS } from "../timings.ts";
import { Flow } from "./flow.ts";
import { journalThrottle } from "./journal-throttle.ts";
import type { FromWorker, Gate, ToWorker, WorkerConfig } from "./messages.ts";
import { Parent, removeScratch } from "./parent.ts";
import { raisePriority } from "./priority.ts";
import { endlessRequests } from "./requests.ts";
import { Sender } from "./sender.ts";

/** The file descriptor of the pipe that the parent reads the journal from. */
export const JOURNAL_FD = 4;

/**
 * Requests under way at once, each on a connection of its own: far more than the throttle ever lets through together.
 */
const CONNECTIONS = 16;

/** How long a worker that cannot get a token for another reason than the limit waits before it asks again. */
const PAUSE_MS = 100;

/** A start tries for so long: it ends before anybody is told to leave. */
const LONGEST_START = "10s";

/** A worker of the demo: one process that reads requests from a file and sends each with a token. */
export async function runWorker(): Promise<void> {
  let config: WorkerConfig | undefined;
  let throttle: Throttle | undefined;
  let store: CoordinationStore | undefined;
  const parent = new Parent<ToWorker, FromWorker>(async () => {
    await throttle?.stop();
    if (config) removeScratch(config.scratch);
  });
  ({ config } = await parent.inbox.take("setup"));
  if (config.priority) raisePriority();
  const journal = new Journal(JOURNAL_FD);
  if (config.gate.type !== "none") {
    store = config.gate.type === "shared" ? await openStore(config.gate.store) : new MemoryStore();
    throttle = createThrottle(throttleOptions(config.gate, store, config));
  }
  const endJournal = throttle ? journalThrottle(throttle, journal) : () => undefined;
  void parent.send({ type: "ready" });

  await parent.inbox.take("go");
  journal.write({ type: "joining", atMs: nowMs() });
  if (throttle) await join(throttle);
  await sendAll(config, throttle, journal, parent.inbox.take("leave"));
  endJournal();
  await store?.close();
  journal.write({ type: "left", atMs: nowMs() });
  parent.finish();
}

/** Joins the group: a store that is slow for a moment ends no demo, one that stays away does. */
async function join(throttle: Throttle): Promise<void> {
  try {
    await throttle.start({ timeout: LONGEST_START });
  } catch (error) {
    if (!isDtError(error, "DT_STOPPED")) throw error;
  }
}

/** Sends until told to leave; leaves the group then, and waits for the answers under way. */
async function sendAll(
  config: WorkerConfig,
  throttle: Throttle | undefined,
  journal: Journal,
  leave: Promise<unknown>,
): Promise<void> {
  let leaving = false;
  let left: Promise<void> | undefined;
  void leave.then(() => {
    leaving = true;
    left = throttle?.stop();
  });
  const sender = new Sender(config.port, config.worker, CONNECTIONS);
  const flow = new Flow(CONNECTIONS);
  for await (const request of endlessRequests(config.input, config.first, config.step)) {
    await flow.room();
    if (leaving || !(await tokenFrom(throttle, journal))) break;
    flow.add(sender.send(request, nowMs()), (error) => trouble(journal, "request", error));
  }
  await Promise.all([left, flow.idle()]);
  sender.close();
}

/** Waits for a token, however long it takes; false when the throttle was stopped. */
async function tokenFrom(throttle: Throttle | undefined, journal: Journal): Promise<boolean> {
  while (throttle) {
    try {
      await throttle.acquire(1);
      return true;
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return false;
      trouble(journal, "acquire", error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  return true;
}

function throttleOptions(
  gate: Exclude<Gate, { readonly type: "none" }>,
  store: CoordinationStore,
  { worker, release }: WorkerConfig,
): ThrottleOptions {
  const { max } = gate;
  if (gate.type === "alone") return { group: "alone", store, max, release };
  return {
    group: gate.group,
    processorId: `worker-${worker}`,
    store,
    max,
    release,
    interval: TIMINGS.intervalMs,
    syncInterval: TIMINGS.syncIntervalMs,
    validity: TIMINGS.validityMs,
    staleAfter: TIMINGS.staleAfterMs,
    storeTimeout: TIMINGS.storeTimeoutMs,
    clockError: TIMINGS.clockErrorMs,
  };
}

function trouble(journal: Journal, what: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  journal.write({ type: "trouble", atMs: nowMs(), what, message });
}
