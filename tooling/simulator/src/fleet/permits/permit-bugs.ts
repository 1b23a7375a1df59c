import type { PermitLedger, PermitRelease, PermitRequest, Reservation, Runtime } from "@dt/core";
import type { PermitTable, releasePermits, reservePermits } from "@dt/core/ledger";
import { bound } from "../bugs/clock-bugs.ts";
import { over } from "../bugs/seams.ts";

/** The store's operations on the rows of a key. */
export interface PermitOperations {
  readonly reservePermits: typeof reservePermits;
  readonly releasePermits: typeof releasePermits;
}

/** A deliberate fault: one wrapper over a public seam of the pacer, which lies in one way. */
export interface PermitBug {
  readonly name: string;
  readonly what: string;
  /** How a process reaches its store. Made for each pacer and store. */
  readonly store?: (store: PermitLedger) => PermitLedger;
  /** A process's clock, timers and chance. */
  readonly runtime?: (runtime: Runtime) => Runtime;
  /** The store's operations, and the rows that they work on. */
  readonly ledger?: (operations: PermitOperations) => PermitOperations;
}

/** Each must be found by some seed. What no seam can express is listed in seeded-bugs.md with its test. */
export const PERMIT_BUGS: readonly PermitBug[] = [
  {
    name: "early",
    what: "the store's clock is taken to be 5 ms further than it is",
    store: answering((reservation) => ({ ...reservation, storeTimeMs: reservation.storeTimeMs + 5 })),
  },
  {
    name: "clock-runs-slow",
    what: "the clock of a process shows half of the time that goes by, so that permits live too long",
    runtime: (runtime) => {
      const startMs = runtime.now();
      return { ...bound(runtime), now: () => startMs + (runtime.now() - startMs) / 2 };
    },
  },
  {
    name: "never-looks-whether-it-slept",
    what: "what was held when the machine was suspended is used",
    runtime: (runtime) => {
      const { bootTimeMs: _, ...blind } = bound(runtime);
      return blind;
    },
  },
  {
    name: "timer-outlives-close",
    what: "a timer goes on when it is cancelled",
    runtime: (runtime) => ({
      ...bound(runtime),
      setTimer: (...said) => {
        runtime.setTimer(...said);
        return { cancel: () => {} };
      },
    }),
  },
  {
    name: "retry-once",
    what: "only the first timer of a process ever comes",
    runtime: (runtime) => {
      let timers = 0;
      return {
        ...bound(runtime),
        setTimer: (callback, ...said) => {
          timers += 1;
          return runtime.setTimer(timers === 1 ? callback : () => {}, ...said);
        },
      };
    },
  },
  {
    name: "gives-back-one-too-few",
    what: "keeps one instant more than it has callers",
    store: releasing(({ id, keep }) => ({ id, keep: keep + 1 })),
  },
  {
    name: "gives-back-one-too-many",
    what: "gives back an instant that it goes on to use",
    store: releasing(({ id, keep }) => ({ id, keep: Math.max(0, keep - 1) })),
  },
  {
    name: "keeps-what-callers-left",
    what: "does not give back a part of a reservation",
    store: forgetting((_, { keep }) => keep > 0),
  },
  {
    name: "stays-in-queue",
    what: "who leaves the queue stays in it at the store",
    store: forgetting(({ answer }) => answer === "refused"),
  },
  {
    name: "forgets-lost-replies",
    what: "does not give back a request whose reply was lost",
    store: forgetting(({ answer, request }) => answer === "lost" && !isAttempt(request)),
  },
  {
    name: "forgets-lost-attempts",
    what: "does not give back an attempt whose reply was lost",
    store: forgetting(({ answer, request }) => answer === "lost" && isAttempt(request)),
  },
  {
    name: "keeps-unwanted-attempts",
    what: "keeps what an attempt took for nobody",
    store: forgetting(({ answer, request }) => answer === "granted" && isAttempt(request)),
  },
  {
    name: "beyond-the-bound",
    what: "reserves three permits more ahead than maxReserved",
    store: asking((request) => (isAttempt(request) ? request : { ...request, maxReserved: request.maxReserved + 3 })),
  },
  {
    name: "no-queue",
    what: "does not stand in the queue at the store",
    store: asking((request) => ({ ...request, queueMs: 0 })),
  },
  {
    name: "steals-ahead",
    what: "reserves ahead at another site",
    store: asking((request) => (isAttempt(request) ? { ...request, maxReserved: 2 } : request)),
  },
  {
    name: "faster-than-its-rate",
    what: "asks for permits at nine tenths of their distance",
    store: asking((request) => ({ ...request, everyMs: request.everyMs * 0.9 })),
  },
  {
    name: "half-the-cost",
    what: "a permit of cost 2 is asked for as one of cost 1",
    store: asking((request) => (request.cost > 1 ? { ...request, cost: request.cost / 2 } : request)),
  },
  {
    name: "end-of-queue-not-checked",
    what: "the ledger takes back permits that were given out again",
    ledger: ({ reservePermits, releasePermits }) => ({
      reservePermits,
      releasePermits: (table, release, clockMs) => {
        const row = table.row();
        const entry = table.entry(release.id);
        if (row && entry?.tatBeforeMs !== undefined && entry.granted > release.keep) {
          const endMs = entry.tatBeforeMs + entry.granted * entry.stepMs;
          table.putRow({ ...row, tatMs: Math.min(row.tatMs, endMs) });
        }
        return releasePermits(table, release, clockMs);
      },
    }),
  },
  {
    name: "freed-twice",
    what: "the ledger gives a freed instant to two",
    ledger: onRows((table) => ({
      takeFreed: (...asked) => {
        const freed = table.takeFreed(...asked);
        if (freed) table.addFreed(freed);
        return freed;
      },
    })),
  },
  {
    name: "freed-half-as-whole",
    what: "the ledger gives a freed instant to a permit that costs more",
    ledger: onRows((table) => ({ takeFreed: (nowMs) => table.takeFreed(nowMs, 0) })),
  },
];

/** An attempt never stands in the queue. */
function isAttempt({ queueMs }: PermitRequest): boolean {
  return queueMs === 0;
}

type Reach = NonNullable<PermitBug["store"]>;

/** The same store, with some of its methods replaced. */
function instead(change: (store: PermitLedger) => Partial<PermitLedger>): Reach {
  return (store) => ({
    reserve: (...said) => store.reserve(...said),
    release: (...said) => store.release(...said),
    ...(store.onPermitHint && { onPermitHint: store.onPermitHint.bind(store) }),
    ...change(store),
  });
}

function asking(change: (request: PermitRequest) => PermitRequest): Reach {
  return instead((store) => ({ reserve: (key, request, signal) => store.reserve(key, change(request), signal) }));
}

function answering(change: (reservation: Reservation) => Reservation): Reach {
  return instead((store) => ({ reserve: async (...said) => change(await store.reserve(...said)) }));
}

function releasing(change: (release: PermitRelease) => PermitRelease): Reach {
  return instead((store) => ({ release: (key, release, signal) => store.release(key, change(release), signal) }));
}

/** What became of a request. */
interface Asked {
  readonly request: PermitRequest;
  answer: "granted" | "refused" | "lost";
}

/** Some releases are never sent. */
function forgetting(concerns: (asked: Asked, release: PermitRelease) => boolean): Reach {
  return instead((store) => {
    const known = new Map<string, Asked>();
    return {
      reserve: async (key, request, signal) => {
        const asked: Asked = { request, answer: "lost" };
        known.set(request.id, asked);
        const reservation = await store.reserve(key, request, signal);
        asked.answer = reservation.granted > 0 ? "granted" : "refused";
        return reservation;
      },
      release: async (key, release, signal) => {
        const asked = known.get(release.id);
        if (!asked || !concerns(asked, release)) await store.release(key, release, signal);
      },
    };
  });
}

function onRows(change: (table: PermitTable) => Partial<PermitTable>): NonNullable<PermitBug["ledger"]> {
  return ({ reservePermits, releasePermits }) => ({
    reservePermits: (table, ...said) => reservePermits(over(table, change(table)), ...said),
    releasePermits: (table, ...said) => releasePermits(over(table, change(table)), ...said),
  });
}
