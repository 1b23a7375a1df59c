import type { CallResult, LimiterStatus as CoreLimiterStatus, DecidedCall } from "@dt/core";
import { type ConcurrencyStatus, putConcurrency, putRate, putThrottleOfClient } from "./adaptive.ts";
import { type BudgetStatus, putBudget } from "./budget.ts";
import { type KeyedStatus, listenToKeys, putKeyed } from "./keyed.ts";
import { listenTo } from "./listen.ts";
import { type PacerStatus, putPacer } from "./pacer.ts";
import type { Reader, Record } from "./reader.ts";
import { putSemaphore, type SemaphoreStatus } from "./semaphore.ts";
import type { Put } from "./series.ts";
import { putThrottle, type ThrottleStatus } from "./throttle.ts";

/** What the status of every limiter has, and the rest of a pause where the kind has pauses. */
export interface LimiterStatus extends CoreLimiterStatus {
  readonly pausedForMs?: number | undefined;
}

/** `dt.result`, for each way in which a call comes out. */
const RESULTS: Readonly<{ [Result in CallResult]: string }> = {
  granted: "granted",
  refused: "refused",
  timedOut: "timeout",
  canceled: "canceled",
  storeError: "store_error",
};

/** What each kind of limiter has beside that. */
const KINDS: Readonly<{ [kind: string]: (status: never, put: Put) => void }> = {
  throttle: (status: ThrottleStatus, put: Put) => putThrottle(status, put),
  semaphore: (status: SemaphoreStatus, put: Put) => putSemaphore(status, put),
  pacer: (status: PacerStatus, put: Put) => putPacer(status, put),
  budget: (status: BudgetStatus, put: Put) => putBudget(status, put),
  keyed: (status: KeyedStatus, put: Put) => putKeyed(status, put),
  concurrency: (status: ConcurrencyStatus, put: Put) => putConcurrency(status, put),
  adaptiveRate: putRate,
  adaptiveThrottle: putThrottleOfClient,
  guard: () => undefined,
};

/** True for the kinds that are known. */
export function isKind(kind: unknown): kind is string {
  return typeof kind === "string" && Object.hasOwn(KINDS, kind);
}

/**
 * How a limiter is read.
 * @param status reads the limiter
 * @param maxKeys how many keys of a keyed limit may be told apart; 0 for none
 */
export function limiterReader(source: object, status: () => LimiterStatus, maxKeys: number): Reader {
  const { kind, name } = status();
  const putKind = KINDS[kind] as (status: LimiterStatus, put: Put) => void;
  return {
    attributes: { "dt.name": name, "dt.kind": kind },
    read(put) {
      const now = status();
      putAny(now, put);
      putKind(now, put);
      return now.state === "stopped";
    },
    listen(record) {
      const ends = [
        listenTo<DecidedCall<unknown>>(source, "decided", (call) => recordDecided(call, record)),
        listenTo(source, "limitChanged", () => record("dt.limit.changes", 1)),
        kind === "keyed" && maxKeys > 0 ? listenToKeys(source, record, maxKeys) : () => undefined,
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function putAny({ kind, calls, waiting, maxWaiters, limiting, pausedForMs }: LimiterStatus, put: Put): void {
  for (const [result, name] of Object.entries(RESULTS))
    put("dt.calls", calls?.[result as CallResult], { "dt.result": name });
  put("dt.queue.size", waiting);
  // Of a keyed limit that is the bound of one key, while callers of all keys wait.
  if (kind !== "keyed") put("dt.queue.capacity", maxWaiters);
  put("dt.limiting", limiting === undefined ? undefined : Number(limiting));
  put("dt.paused", pausedForMs === undefined ? undefined : pausedForMs / 1_000);
}

function recordDecided({ result, waitedMs, priority }: DecidedCall<unknown>, record: Record): void {
  record("dt.acquire.duration", waitedMs / 1_000, { "dt.result": RESULTS[result], "dt.priority": priority });
}
