import {
  type CoordinationStore,
  createThrottle,
  isDtError,
  MemoryStore,
  type Release,
  type Throttle,
  type ThrottleOptions,
} from "@dt/core";
import { openStore } from "../../stores/open-store.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { Entry } from "../record.ts";
import { nowMs, TIMINGS } from "../timings.ts";
import { orders, raisePriority, removeScratch, tell } from "./parent.ts";
import { GRANTED_HEADER, WORKER_HEADER } from "./server.ts";

export interface WorkerSetup {
  /** 1, 2, 3, ... */
  readonly worker: number;
  /** Where the fleet shares its limit; undefined: nowhere, the worker has a limit of its own. */
  readonly store: StoreAddress | undefined;
  readonly name: string;
  /** The limit: of all workers where they share it, else of this one. */
  readonly max: number;
  readonly release: Release;
  readonly port: number;
  /** A folder to remove when the parent is gone. */
  readonly scratch: string;
}

/** Requests under way at once: far more than the throttle ever lets through together. */
const MOST_UNDER_WAY = 16;
const ANSWER_WITHIN_MS = 5_000;
/** How long a worker that cannot get a token for another reason than the limit waits before it asks again. */
const PAUSE_MS = 100;
/** A store that is slow for a moment ends no demo, one that stays away does, before a worker is told to leave. */
const LONGEST_START = "10s";
/** How often the share is looked at: what times of shares are accurate to. */
const LOOK_EVERY_MS = 20;

/** A worker of the demo: a process that sends requests as fast as it gets tokens for them. */
export async function runWorker(): Promise<void> {
  let scratch: string | undefined;
  let throttle: Throttle | undefined;
  const next = orders(async () => {
    await throttle?.stop();
    removeScratch(scratch);
  });
  const setup = JSON.parse(await next()) as WorkerSetup;
  scratch = setup.scratch;
  raisePriority();
  const store = setup.store === undefined ? new MemoryStore() : await openStore(setup.store);
  throttle = createThrottle(optionsOf(setup, store));
  const endReports = reportThrottle(throttle);
  tell({ type: "ready", atMs: nowMs() });

  await next();
  try {
    await throttle.start({ timeout: LONGEST_START });
  } catch (error) {
    if (!isDtError(error, "DT_STOPPED")) throw error;
  }
  await sendAll(setup, throttle, next());
  endReports();
  await store.close();
  tell({ type: "left", atMs: nowMs() });
  process.exit();
}

/** Sends until told to leave; leaves the throttle then, and waits for the answers under way. */
async function sendAll(setup: WorkerSetup, throttle: Throttle, leave: Promise<unknown>): Promise<void> {
  const left = leave.then(() => throttle.stop());
  const underWay = new Set<Promise<void>>();
  for (let order = 1; await hasToken(throttle); order++) {
    const sent = send(setup, order).finally(() => underWay.delete(sent));
    underWay.add(sent);
    while (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
  }
  await Promise.all([left, ...underWay]);
}

/** Waits for a token, however long it takes; false when the throttle was stopped. */
async function hasToken(throttle: Throttle): Promise<boolean> {
  for (;;) {
    try {
      await throttle.acquire(1);
      return true;
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return false;
      trouble("acquire", error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

async function send({ port, worker }: WorkerSetup, order: number): Promise<void> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/charge`, {
      method: "POST",
      headers: { [WORKER_HEADER]: String(worker), [GRANTED_HEADER]: String(nowMs()) },
      body: JSON.stringify({ order, cents: 100 + ((order * 7_919) % 9_900) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await answer.arrayBuffer();
  } catch (error) {
    trouble("request", error);
  }
}

/** Tells what a throttle grants and what its share is, until the function returned is called. */
export function reportThrottle(throttle: Throttle, report: (entry: Entry) => void = tell): () => void {
  throttle.on("grant", ({ epoch, tokens }) => report({ type: "grant", atMs: nowMs(), epoch, tokens }));
  throttle.on("deposit", ({ epoch, tokens, regrantable }) => {
    if (regrantable) report({ type: "returned", atMs: nowMs(), epoch, tokens });
  });
  throttle.on("storeError", ({ operation, error }) =>
    report({ type: "trouble", atMs: nowMs(), what: `store ${operation}`, message: error.message }),
  );
  let last = "";
  const timer = setInterval(() => {
    const { state, epoch, share, generation, members } = throttle.status();
    const seen = `${epoch} ${share} ${generation} ${members}`;
    if (state !== "running" || epoch === undefined || seen === last) return;
    last = seen;
    report({ type: "share", atMs: nowMs(), epoch, tokens: share, generation, members });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

function optionsOf({ worker, name, max, release }: WorkerSetup, store: CoordinationStore): ThrottleOptions {
  const { intervalMs, syncIntervalMs, validityMs, staleAfterMs, storeTimeoutMs, clockErrorMs } = TIMINGS;
  return {
    ...{ name, memberId: `worker-${worker}`, store, max, release, interval: intervalMs },
    ...{ syncInterval: syncIntervalMs, validity: validityMs, staleAfter: staleAfterMs },
    ...{ storeTimeout: storeTimeoutMs, clockError: clockErrorMs },
    // Every process calls as often as it may: even parts are what each needs.
    shares: "even",
  };
}

function trouble(what: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  tell({ type: "trouble", atMs: nowMs(), what, message });
}
