import type { BucketHold, BucketLimit, BucketRequest } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { BucketOperation } from "./random-operations.ts";

const LIMIT: BucketLimit = { max: 5, windowMs: 1_000, burst: 10 };
const BUCKET = { name: "", key: "a" };

function at(clockMs: number, ...changes: readonly Partial<BucketRequest>[]): BucketOperation {
  return { kind: "take", clockMs, requests: changes.map((change) => ({ ...BUCKET, limit: LIMIT, ...change })) };
}

function take(cost: number, changes: Partial<NonNullable<BucketRequest["take"]>> = {}): Partial<BucketRequest> {
  return { take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, ...changes } };
}

function hold(seq: number, changes: Partial<BucketHold> = {}): Pick<BucketRequest, "hold"> {
  return { hold: { id: "p", seq, spent: 0, keep: 1e12, forMs: 1_000, ...changes } };
}

function set(
  clockMs: number,
  revision: number,
  values: BucketLimit | null,
  untilMs: number | null = null,
): BucketOperation {
  const record: LimitRecordRow = { revision, values: values && JSON.stringify(values), untilMs, history: "[]" };
  return { kind: "set", clockMs, bucket: BUCKET, record };
}

const slot = (id: string, forMs = 500) => ({ slot: { id, forMs } });

/** Short histories for what chance seldom comes to, with times from 0 on. */
export const EDGES: Readonly<Record<string, readonly BucketOperation[]>> = {
  "a unit is due a sixteenth of a millisecond before it has come back": [
    at(0, take(10)),
    ...[200 - 1 / 15, 200 - 1 / 16, 200 - 1 / 17].map((ms) => at(ms, take(1))),
  ],
  "what is in hand is spent in the instant in which its time is over, in the order of those instants": [
    at(0, { ...take(2), ...hold(1) }, { ...take(3), ...hold(1, { id: "q", forMs: 600 }) }),
    at(1, { ...take(1), ...hold(1, { id: "r", forMs: 599 }) }),
    ...[599.999, 600, 999.999, 1_000, 1_600].map((ms) => at(ms, {})),
  ],
  "several have their time over between two requests": [
    at(0, { ...take(2), ...hold(1) }, { ...take(3), ...hold(1, { id: "q", forMs: 600 }) }),
    at(1, { ...take(5), ...hold(1, { id: "r", forMs: 5_000 }) }),
    at(1_100, {}),
    at(5_100, {}),
  ],
  "a time in hand that is over at once": [at(0, { ...take(2), ...hold(1, { forMs: 0 }) }), at(0, {}), at(1, {})],
  "nothing in hand, and reports of it": [
    at(0, { ...hold(1) }),
    at(0, { ...take(4), ...hold(1) }),
    at(0, { ...hold(2, { spent: 9 }) }),
    at(0, { ...hold(3, { spent: 3, keep: 0 }) }),
  ],
  "reports give back, and keep no more than there is": [
    at(0, { ...take(1, { ahead: 7 }), ...hold(1) }),
    at(10, { ...take(1), ...hold(2, { spent: 2, keep: 3 }) }),
    at(20, { ...hold(3, { spent: 3, keep: 0 }) }),
    at(30, { ...take(9), ...hold(4, { spent: 3 }) }),
  ],
  "units ahead are as many as are due in time, and as there is room in hand": [
    at(0, { ...take(1, { ahead: 4 }), ...hold(1) }, take(3)),
    at(0, { ...take(1, { ahead: 1e12, aheadWithinMs: 399 }), ...hold(1, { id: "q" }) }),
    at(0, { ...take(1, { ahead: 1e12, aheadWithinMs: 400, maxWaitMs: 9_000 }), ...hold(1, { id: "r" }) }),
    at(0, { ...take(1, { ahead: 1e12, aheadWithinMs: 8e9, maxWaitMs: 9_000 }), ...hold(2, { id: "r" }) }),
    at(0, { ...take(1, { maxWaitMs: 9_000 }), ...hold(2) }),
  ],
  "a repeat is answered the same, and one that is late nothing; neither counts hits or slots again": [
    at(0, { ...take(3, slot("x")), ...hold(5), hits: { windowMs: 1_000, by: 1 }, limit: { ...LIMIT, concurrent: 1 } }),
    at(1, { ...take(3, slot("x")), ...hold(5), hits: { windowMs: 1_000, by: 1 }, release: ["x"] }),
    at(2, { ...take(3), ...hold(4), renew: ["x", "y"], renewMs: 5_000, limit: { ...LIMIT, max: 77 } }),
    at(3, { ...take(3, slot("y")), ...hold(6), limit: { ...LIMIT, concurrent: 1 } }),
    at(4, { ...take(3, slot("y")), ...hold(6), limit: { ...LIMIT, concurrent: 1 } }),
    at(2_000, { ...take(3), ...hold(6), limit: { ...LIMIT, concurrent: 1 } }),
  ],
  "a slot is lost in the instant in which its time is over, and given back before it is renewed": [
    ...[0, 499.999, 500].map((ms) => at(ms, { ...take(1, slot(`${ms}`)), limit: { ...LIMIT, concurrent: 1 } })),
    at(600, { renew: ["500", "0"], renewMs: 1_000, limit: { ...LIMIT, concurrent: 1 } }),
    at(1_500, { ...take(1, slot("z")), renew: ["500"], release: ["500"], limit: { ...LIMIT, concurrent: 1 } }),
    at(1_500, { ...take(1, slot("z", 900)), limit: { ...LIMIT, concurrent: 1 } }),
  ],
  "a window of hits ends in its instant, and hits are never less than none": [
    at(0, { hits: { windowMs: 1_000, by: 0 } }, { hits: { windowMs: 1_000, by: -1 } }),
    at(1, { hits: { windowMs: 1_000, by: 3 } }, { hits: { windowMs: 9, by: -5 } }),
    at(2, { hits: { windowMs: 5_000, by: 2 } }),
    ...[1_000.999, 1_001].map((ms) => at(ms, { hits: { windowMs: 7, by: 0 } })),
    at(1_002, { hits: { windowMs: 7, by: 1 } }),
  ],
  "hits alone need no limit, and a limit may come later": [
    { kind: "take", clockMs: 0, requests: [{ ...BUCKET, hits: { windowMs: 1_000, by: 3 } }] },
    at(10, take(2)),
    { kind: "take", clockMs: 20, requests: [{ ...BUCKET, hits: { windowMs: 1_000, by: 3 }, ...hold(1) }] },
  ],
  "a limit binds for 10 s": [
    at(0, take(1)),
    at(10_000, { ...take(1), limit: { ...LIMIT, max: 6 } }, { ...take(1), limit: { ...LIMIT, concurrent: 1 } }),
    at(20_000.001, { ...take(1), limit: { ...LIMIT, max: 6 } }),
  ],
  "a limit takes the place of another, whose users have the new one": [
    at(0, take(9)),
    at(1, { ...take(1), limit: { ...LIMIT, burst: 20 }, formerLimit: LIMIT }, take(2)),
    at(2, { ...take(1), limit: { ...LIMIT, burst: 2, max: 50 }, formerLimit: { ...LIMIT, burst: 20 } }, take(1)),
    at(3, { ...take(1), limit: { ...LIMIT, burst: 2, max: 50 } }, take(1)),
  ],
  "the clock goes back": [
    at(50_000, { ...take(9, slot("x")), ...hold(1), hits: { windowMs: 500, by: 1 } }),
    at(0, { ...take(1), ...hold(1, { id: "q" }) }),
    at(999, {}),
    at(1_000, {}),
    at(60_000, {}),
  ],
  "the shortest and the longest window": [1, 8_640_000_000].map((windowMs, i) =>
    at(i, { ...take(3), key: `${windowMs}`, limit: { max: 1 / 3, windowMs, burst: 4 } }, { key: `${windowMs}` }),
  ),
  "a stored limit counts up to its end, and the code's again from then on": [
    at(0, { ...take(9), stored: true }),
    set(0, 1, { ...LIMIT, burst: 20 }, 1_000),
    ...[999.999, 1_000].map((ms) => at(ms, { ...take(1), stored: true, limit: { ...LIMIT, burst: 3 } })),
    set(1_001, 2, null),
    at(
      1_001,
      { ...take(1), stored: true },
      { ...take(1), limit: { ...LIMIT, burst: 3 } },
      { ...take(1), limit: LIMIT },
    ),
    set(1_002, 3, { max: 50, windowMs: 997, burst: 3, concurrent: 1 }),
    at(1_002, { ...take(40), stored: true }, { ...take(1), limit: { ...LIMIT, burst: 3, concurrent: 4 } }),
  ],
  "a stored limit is of its key and its name": [
    set(0, 1, { ...LIMIT, burst: 2 }),
    at(0, { stored: true, key: "b" }, { stored: true }, { key: "a/" }),
  ],
};
