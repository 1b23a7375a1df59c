import { type CoordinationStore, createThrottle, isDtError, systemRuntime } from "@dt/core";

/** What callers had who want very different parts of one limit. */
export interface UnevenFleet {
  /** Tokens that the busy one had in each epoch of the newest ones, on average. */
  readonly busy: number;
  /** The same of each light one. */
  readonly light: readonly number[];
  /** The most tokens that all had together in one epoch, whoever of them, from the beginning. */
  readonly most: number;
}

const MAX = 50;
/** Of an epoch, where a round trip takes a few milliseconds. */
const INTERVAL_MS = 200;
/** What a light one takes, in every epoch. */
const LIGHT = 2;
/** Epochs until the shares have followed, and epochs that are looked at then. */
const SETTLE = 40;
const LOOK = 10;
/** On a busy machine an answer may take long, and is an answer all the same. */
const PATIENT = { storeTimeout: "8s", staleAfter: "60s" } as const;

/**
 * Real throttles that share 50 tokens in an interval by demand: four take 2, and one takes all that it gets. Counted by
 * the calls made.
 *
 * @param storeOf a store for each throttle, with time for a busy machine; closed by the caller
 * @param intervalMs of an epoch, and between two reports. Default 200
 * @param clockErrorMs a round trip must be shorter. Default a quarter of the interval
 */
export async function unevenFleet(
  storeOf: () => CoordinationStore,
  intervalMs: number = INTERVAL_MS,
  clockErrorMs: number = intervalMs / 4,
): Promise<UnevenFleet> {
  const paces = { interval: intervalMs, syncInterval: intervalMs, clockError: clockErrorMs, ...PATIENT };
  const throttles = Array.from({ length: 5 }, () =>
    createThrottle({ name: "uneven", max: MAX, ...paces, shares: "demand", learning: 0, store: storeOf() }),
  );
  await Promise.all(throttles.map((throttle) => throttle.start()));
  const had = throttles.map(() => new Map<number, number>());
  let over = false;
  const callers = throttles.map(async (throttle, place) => {
    const mine = had[place] as Map<number, number>;
    while (!over) {
      const grant = await throttle.acquireGrant(1, { timeout: "1s" }).catch(undefinedIfLate);
      if (grant) mine.set(grant.epoch, (mine.get(grant.epoch) ?? 0) + grant.tokens);
      if (grant && place > 0 && (mine.get(grant.epoch) ?? 0) >= LIGHT) await sleep(throttle.status().epochEndsInMs);
    }
  });
  await sleep((SETTLE + LOOK + 1) * intervalMs);
  over = true;
  await Promise.all(callers);
  await Promise.all(throttles.map((throttle) => throttle.stop()));
  const epochs = [...new Set(had.flatMap((mine) => [...mine.keys()]))].sort((a, b) => a - b);
  const newest = epochs.slice(-LOOK - 1, -1);
  const average = (mine: Map<number, number>): number =>
    newest.reduce((sum, epoch) => sum + (mine.get(epoch) ?? 0), 0) / newest.length;
  const [busy = 0, ...light] = had.map(average);
  const totals = epochs.map((epoch) => had.reduce((sum, mine) => sum + (mine.get(epoch) ?? 0), 0));
  return { busy, light, most: Math.max(...totals) };
}

/** The first round trips of a connection may be too slow to know the clock by: callers ask again. */
function undefinedIfLate(error: unknown): undefined {
  if (!isDtError(error, "DT_STORE_SLOW") && !isDtError(error, "DT_TIMEOUT")) throw error;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => systemRuntime.setTimer(resolve, ms));
}
