import { expect, it } from "vitest";
import type { BucketLimit } from "../../src/contract/bucket.ts";
import type { BucketAnswer, BucketRequest } from "../../src/contract/keyed-ledger.ts";
import { isDtError } from "../../src/errors/dt-error.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";
import { number, rowsOf, shown } from "../ledger/support/contract-page.ts";

/** The numbers of docs/store-contract.md on keyed limits, beside what the arithmetic makes of them. */

/** What a number's place in a step says; undefined where the step does not say it. */
function said(step: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(step)?.[1];
  return found === undefined ? undefined : number(found);
}

const START_MS = 1_000_000;

/** A bucket, and what is asked of it in the words of the page. */
class Bucket {
  readonly #table = new MemoryBucketTable();
  readonly #limit: BucketLimit;
  readonly #known = new Map<string, { seq: number; spent: number }>();
  #revision = 0;

  constructor(limit: Partial<BucketLimit> = {}) {
    this.#limit = { max: 5, windowMs: 1_000, burst: 10, ...limit };
  }

  take(atMs: number, request: Partial<BucketRequest>, stored?: BucketLimit): BucketAnswer {
    const head = stored && { revision: ++this.#revision, values: JSON.stringify(stored), untilMs: null };
    const whole = { name: "api", key: "a", limit: this.#limit, ...request, ...(stored && { stored: true }) };
    return takeUnits(this.#table, whole, START_MS + atMs, head);
  }

  /** The request of a step, but for its limit and its hits. */
  request(step: string): Partial<BucketRequest> {
    const cost = said(step, /takes (\d+)/);
    const slot = /takes .*slot (\w) for (\d+)/.exec(step);
    const renew = /renews ([\w, ]+) for (\d+)/.exec(step);
    const release = /releases (\w)/.exec(step);
    const take = {
      cost: cost ?? 0,
      maxWaitMs: said(step, /waits ([\d,]+)/) ?? 0,
      ahead: said(step, /(\d+) ahead/) ?? 0,
      aheadWithinMs: said(step, /ahead within ([\d,]+)/) ?? 0,
      ...(slot && { slot: { id: slot[1] as string, forMs: number(slot[2]) } }),
    };
    return {
      ...(cost !== undefined && { take }),
      ...this.#hold(step),
      ...(renew && { renew: (renew[1] as string).split(", "), renewMs: number(renew[2]) }),
      ...(release && { release: [release[1] as string] }),
    };
  }

  #hold(step: string): Pick<BucketRequest, "hold"> {
    const [, id] = /^at [\d,]+ ([pqr]) /.exec(step) ?? [];
    if (id === undefined) return {};
    const known = this.#known.get(id) ?? { seq: 0, spent: 0 };
    const seq = said(step, /as number (\d+)/) ?? known.seq + 1;
    const spent = known.spent + (said(step, /has spent (\d+)/) ?? 0);
    this.#known.set(id, { seq, spent });
    return { hold: { id, seq, spent, keep: said(step, /keeps (\d+)/) ?? 1e9, forMs: 2_000 } };
  }
}

function atOf(step: string): number {
  return said(step, /^at ([\d,]+)/) as number;
}

function instantsOf(atMs: number, { granted, firstMs, everyMs, waitMs, storeTimeMs }: BucketAnswer): string {
  if (granted === 0) return waitMs > 0 ? `refused, due at ${shown(atMs + waitMs)}` : "";
  const [first, last] = [firstMs, firstMs + (granted - 1) * everyMs].map((ms) =>
    shown(Math.max(storeTimeMs, ms) - START_MS),
  );
  return first === last ? (first as string) : `${first} to ${last}`;
}

it.each(["K3", "K4", "K5", "K7"])("%s: the requests of its table", (heading) => {
  const bucket = new Bucket();
  const rows = rowsOf(heading, "request").map(([step = ""]) => {
    const request = bucket.request(step);
    const answer = bucket.take(atOf(step), request);
    const { granted, limitedBy = "", remaining, inHand } = answer;
    const hand = request.hold && (inHand > 0 || !request.take) ? String(inHand) : "";
    return [step, String(granted), instantsOf(atOf(step), answer), limitedBy, shown(remaining), hand];
  });
  expect(rows).toEqual(rowsOf(heading, "request"));
});

it("K6: slots", () => {
  const bucket = new Bucket({ concurrent: 2 });
  const rows = rowsOf("K6", "request").map(([step = ""]) => {
    const { granted, limitedBy = "", waitMs, inFlight, lost } = bucket.take(atOf(step), bucket.request(step));
    const due = waitMs > 0 ? shown(atOf(step) + waitMs) : "";
    return [step, String(granted), limitedBy, due, String(inFlight), lost.join(", ")];
  });
  expect(rows).toEqual(rowsOf("K6", "request"));
});

it("K8: hits", () => {
  const bucket = new Bucket();
  const rows = rowsOf("K8", "request").map(([step = ""]) => {
    const [, does, count, windowMs] = /(adds|takes back) (\d+) of ([\d,]+)$/.exec(step) ?? [];
    const by = does === "adds" ? number(count) : -number(count);
    const { hits, hitsResetMs } = bucket.take(atOf(step), { hits: { windowMs: number(windowMs), by } });
    return [step, String(hits), hitsResetMs > 0 ? shown(atOf(step) + hitsResetMs) : ""];
  });
  expect(rows).toEqual(rowsOf("K8", "request"));
});

function limitIn(step: string, before: string): BucketLimit | undefined {
  const [, max, burst] = new RegExp(`${before} (\\d+), burst (\\d+)`).exec(step) ?? [];
  return max === undefined ? undefined : { max: number(max), windowMs: 1_000, burst: number(burst) };
}

it("K9: limits", () => {
  const bucket = new Bucket();
  const rows = rowsOf("K9", "request").map(([step = ""]) => {
    const limit = limitIn(step, "of");
    const formerLimit = limitIn(step, "instead of");
    const stored = limitIn(step, "with a stored limit of");
    const own = limit && !stored && { limit, ...(formerLimit && { formerLimit }) };
    try {
      const answer = bucket.take(atOf(step), { ...bucket.request(step), ...own }, stored);
      const { max, burst } = answer.limit as BucketLimit;
      return [step, `${max}, burst ${burst}`, shown(answer.remaining)];
    } catch (error) {
      if (!isDtError(error, "DT_PACE_MISMATCH")) throw error;
      return [step, "refused", ""];
    }
  });
  expect(rows).toEqual(rowsOf("K9", "request"));
});
