import { type BucketRef, isDtError } from "@dt/core";
import { SEMAPHORE_PREFIX } from "@dt/core/internal";
import type { AnyStore } from "../stores/in-store.ts";
import type { LimiterKind } from "../stores/limiter.ts";
import type { Requests } from "./requests.ts";

/** A limiter that is read as a whole. A keyed limit is read by its keys. */
export interface Named {
  readonly kind: Exclude<LimiterKind, "keyed">;
  readonly name: string;
}

/** One page of a list, from a cursor on. */
export type Page<T> = (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: string }>;

/**
 * The throttles, semaphores, pacers and budgets of a store; each once, though it may be on several pages (R26). A store
 * without a list of some shows none of these.
 */
export async function listNames(store: AnyStore, requests: Requests): Promise<readonly Named[]> {
  const lists: readonly (Page<Named> | undefined)[] = [
    groupsOf(store, requests),
    pacersOf(store, requests),
    budgetsOf(store, requests),
  ];
  const found = await Promise.all(lists.map((page) => (page === undefined ? [] : allOf(page))));
  const unique = new Map(found.flat().map((named) => [`${named.kind} ${named.name}`, named]));
  return [...unique.values()];
}

/** The keys of keyed limits, a page at a time; undefined where the store has no list of them. */
export function keysOf(store: AnyStore, requests: Requests): Page<BucketRef> | undefined {
  const list = store.listBuckets?.bind(store);
  return (
    list &&
    (async (cursor) => {
      const { buckets, ...next } = await requests.time((signal) => list(cursor, signal));
      return { items: buckets, ...next };
    })
  );
}

/** True where a list must begin anew, since the server of the cursor was restarted or has gone. */
export function isLostCursor(error: unknown): boolean {
  return isDtError(error, "DT_INVALID_OPTION");
}

/** All pages. */
export async function allOf<T>(page: Page<T>, isAgain = false): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  try {
    do {
      const { items, next } = await page(cursor);
      for (const item of items) all.push(item);
      cursor = next;
    } while (cursor !== undefined);
    return all;
  } catch (error) {
    if (isAgain || cursor === undefined || !isLostCursor(error)) throw error;
    return allOf(page, true);
  }
}

/** Throttles and semaphores are kept side by side. */
function groupsOf(store: AnyStore, requests: Requests): Page<Named> | undefined {
  const list = store.list?.bind(store);
  return (
    list &&
    (async (cursor) => {
      const { groups, ...next } = await requests.time((signal) => list(cursor, signal));
      const items = groups.map(
        (group): Named =>
          group.startsWith(SEMAPHORE_PREFIX)
            ? { kind: "semaphore", name: group.slice(SEMAPHORE_PREFIX.length) }
            : { kind: "throttle", name: group },
      );
      return { items, ...next };
    })
  );
}

function pacersOf(store: AnyStore, requests: Requests): Page<Named> | undefined {
  const list = store.listPermits?.bind(store);
  return (
    list &&
    (async (cursor) => {
      const { keys, ...next } = await requests.time((signal) => list(cursor, signal));
      return { items: keys.map((name): Named => ({ kind: "pacer", name })), ...next };
    })
  );
}

function budgetsOf(store: AnyStore, requests: Requests): Page<Named> | undefined {
  const list = store.listBudgets?.bind(store);
  return (
    list &&
    (async (cursor) => {
      const { budgets, ...next } = await requests.time((signal) => list(cursor, signal));
      return { items: budgets.map((name): Named => ({ kind: "budget", name })), ...next };
    })
  );
}
