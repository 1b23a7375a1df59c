import { DtError, type DtErrorCode, isDtError } from "@dt/core";
import type { AnyStore } from "../stores/in-store.ts";
import { LIMITER_KINDS, type LimiterKind } from "../stores/limiter.ts";
import { type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { worstOf } from "./finding.ts";
import { listNames, type Named } from "./list-names.ts";
import { readKeys } from "./read-keys.ts";
import { type Reading, readNamed } from "./read-limiter.ts";
import type { ReadOptions } from "./read-options.ts";
import type { FleetReport, LimiterReport } from "./report.ts";
import { CONCURRENCY, each, Requests } from "./requests.ts";
import { byName, verdictOf } from "./verdict.ts";

/** Three sync intervals of 1 s; a stale age is 10 s where nothing else was asked for. */
export const SILENT_AFTER_MS = 3_000;

const BUSIEST = 20;

/**
 * A fleet as its store reports it now: all limiters, judged. Reads only. A limiter with a damaged row is shown with its
 * error, and the others as well. A store that cannot list or show some kind shows the others.
 * @param address the store's, for the report
 * @throws DtError as the store does, where a list or every limiter cannot be read
 * @example const { verdict, limiters } = await readFleet(store, address, { keys: 500, memory })
 */
export async function readFleet(
  store: AnyStore,
  address: StoreAddress,
  options: ReadOptions = {},
): Promise<FleetReport> {
  const { concurrency = CONCURRENCY, signal } = options;
  const reading = readingOf(store, options);
  const names = await namesOf(reading, options);
  const [named, keyed] = [
    await each(names, concurrency, (one) => readNamed(reading, one)),
    await readKeys(reading, options),
  ];
  signal?.throwIfAborted();
  const limiters = [...named.filter((report) => report !== undefined), ...keyed].sort(byKind);
  throwIfAway(reading.requests, limiters);
  return {
    schema: 1,
    store: showStoreAddress(address),
    atMs: Date.now(),
    requests: reading.requests.summary,
    state: worstOf(limiters.map(({ state }) => state)),
    verdict: verdictOf(limiters),
    limiters,
  };
}

/**
 * One limiter, with all of its members, or its keys; undefined where the store keeps nothing of it.
 * @throws DtError as the store does
 * @example await readLimiter(store, "keyed", "api", { keys: 10_000, busiest: 100 })
 */
export async function readLimiter(
  store: AnyStore,
  kind: LimiterKind,
  name: string,
  options: Omit<ReadOptions, "only" | "memory"> & { readonly key?: string } = {},
): Promise<LimiterReport | undefined> {
  const { key, ...rest } = options;
  const reading = readingOf(store, rest);
  const only = { kind, name, ...(key !== undefined && { key }) };
  const [report] =
    kind === "keyed" ? await readKeys(reading, { ...rest, only }) : [await readNamed(reading, { kind, name })];
  rest.signal?.throwIfAborted();
  throwIfAway(reading.requests, report ? [report] : []);
  return report;
}

function readingOf(store: AnyStore, options: ReadOptions): Reading {
  const { silentAfterMs = SILENT_AFTER_MS, busiest = BUSIEST, signal } = options;
  return { store, requests: new Requests(signal), silentAfterMs, busiest };
}

/** The names to look at: those of the list, or the one that is asked for, of each kind. */
async function namesOf({ store, requests }: Reading, { only = {}, memory }: ReadOptions): Promise<readonly Named[]> {
  const { kind, name, key } = only;
  if (kind === "keyed" || key !== undefined) return [];
  const wanted = (named: Named): boolean => kind === undefined || named.kind === kind;
  if (name !== undefined) return NAMED_KINDS.map((one): Named => ({ kind: one, name })).filter(wanted);
  const list = (): Promise<readonly Named[]> => listNames(store, requests);
  return (await (memory ? memory.names(list) : list())).filter(wanted);
}

const NAMED_KINDS = LIMITER_KINDS.filter((kind) => kind !== "keyed");

/** By kind as they are listed in the help, then by name. */
function byKind(one: LimiterReport, other: LimiterReport): number {
  return LIMITER_KINDS.indexOf(one.kind) - LIMITER_KINDS.indexOf(other.kind) || byName(one, other);
}

/** A store that is away is no finding about its limiters. */
function throwIfAway({ failure }: Requests, limiters: readonly LimiterReport[]): void {
  if (failure !== undefined && !isDtError(failure, "DT_STORE_DATA")) throw failure;
  const [first] = limiters;
  const isAway = limiters.every(({ error }) => error !== undefined && error.code !== "DT_STORE_DATA");
  if (first?.error && isAway) throw new DtError(first.error.code as DtErrorCode, first.error.message);
}
