import { type BucketRef, isDtError, type LimitRecord } from "@dt/core";
import type { AnyStore } from "../stores/in-store.ts";
import { targetOf } from "../stores/limit-values.ts";
import { isLedger, type LimiterName, storedName } from "../stores/limiter.ts";
import { finding, unreadable, withFindings } from "./finding.ts";
import { judgeBudget } from "./judge-budget.ts";
import { judgeKeyed, type ReadKey } from "./judge-keyed.ts";
import { judgeLedger } from "./judge-ledger.ts";
import { judgePacer } from "./judge-pacer.ts";
import type { Named } from "./list-names.ts";
import type { Finding, LimiterReport } from "./report.ts";
import type { Requests } from "./requests.ts";

/** What limiters are read with. */
export interface Reading {
  readonly store: AnyStore;
  readonly requests: Requests;
  /** A member that reported nothing for so long counts as silent, in milliseconds. */
  readonly silentAfterMs: number;
  /** How many keys of a keyed limit are written out. */
  readonly busiest: number;
}

/** Why something could not be read. */
export interface ReadError {
  readonly code: string;
  readonly message: string;
}

/**
 * A throttle, a semaphore, a pacer or a budget; undefined where the store keeps nothing of it. What cannot be read is a
 * report that says so.
 */
export async function readNamed(reading: Reading, named: Named): Promise<LimiterReport | undefined> {
  const stored = await attempt(() => readStored(reading, named));
  const report = await attempt(() => judged(reading, named, stored.value));
  // A name that no limiter of this kind can have.
  if (report.error?.code === "DT_INVALID_OPTION") return undefined;
  if (report.error) return unreadable(named.kind, named.name, report.error);
  return report.value && withFindings(report.value, damagedLimit(stored.error));
}

/** A keyed limit from the keys that were read. @param key of one key: whose limit in the store is shown */
export async function readKeyed(
  reading: Reading,
  name: string,
  keys: readonly ReadKey[],
  count: number,
  key?: string,
): Promise<LimiterReport> {
  const stored = await attempt(async () => {
    const own = key === undefined ? undefined : await readStored(reading, { kind: "keyed", name, key });
    return own ?? readStored(reading, { kind: "keyed", name });
  });
  return withFindings(judgeKeyed(name, keys, count, stored.value, reading.busiest), damagedLimit(stored.error));
}

/** One key, as far as it can be read. */
export async function readKey({ store, requests }: Reading, ref: BucketRef): Promise<ReadKey> {
  const { value, error } = await attempt(() => requests.time(async (signal) => store.inspectBucket?.(ref, signal)));
  return { key: ref.key, snapshot: value, error };
}

async function judged(
  { store, requests, silentAfterMs }: Reading,
  { kind, name }: Named,
  stored: LimitRecord | undefined,
): Promise<LimiterReport | undefined> {
  if (isLedger(kind)) {
    const snapshot = await requests.time((signal) => store.inspect(storedName(kind, name), signal));
    return snapshot.generation > 0 ? judgeLedger(kind, name, snapshot, stored, silentAfterMs) : undefined;
  }
  if (kind === "pacer") {
    const snapshot = await requests.time(async (signal) => store.inspectPermits?.(name, signal));
    return snapshot && judgePacer(snapshot, stored);
  }
  const snapshot = await requests.time(async (signal) => store.inspectBudget?.(name, signal));
  return snapshot && judgeBudget(snapshot, stored);
}

async function readStored({ store, requests }: Reading, limiter: LimiterName): Promise<LimitRecord | undefined> {
  const read = store.readLimit?.bind(store);
  return read && requests.time((signal) => read(targetOf(limiter), signal));
}

function damagedLimit(error: ReadError | undefined): readonly Finding[] {
  return error ? [finding("attention", "damaged", `its limit in the store cannot be read: ${error.message}`)] : [];
}

/** A result, or an error of the store's that is about this limiter, or may be. */
async function attempt<T>(read: () => Promise<T>): Promise<{ readonly value?: T; readonly error?: ReadError }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!isDtError(error) || ENDS.has(error.code)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

/** With these there is nothing to read any more. */
const ENDS: ReadonlySet<string> = new Set(["DT_ABORTED", "DT_STORE_CLOSED"]);
