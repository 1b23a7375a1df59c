import type { RowField } from "@dt/core/ledger";

/**
 * While something lies ahead, the time of a document that several clients use now and then is recorded this often, in
 * milliseconds. Less than what a clock may be ahead.
 */
const RENEW_MS = 250;

/**
 * The same for a document that is used so densely that its users tell each other the time: in case that has just come
 * to an end.
 */
const DENSE_RENEW_MS = 2_000;

/** A document is shared if two clients have taken turns within this time. */
const SHARED_FOR_MS = 60_000;

/** What is taken for the usual distance between uses before there are any. */
const FIRST_GAP_MS = 500;

/** The weight of the last distance between uses in the usual one. */
const GAP_WEIGHT = 0.2;

/** Who uses a document, and how densely. */
export interface DocumentUse {
  /** The client that made the last change. */
  readonly by: string;
  /** The document's time when a client changed what another one had written before; null when that never happened. */
  readonly sharedMs: number | null;
  /** The document's time of the last use, and the usual distance between two. */
  readonly reservedMs: number;
  readonly gapMs: number;
}

/** How its fields are stored. */
export const USE_FIELDS: readonly RowField<DocumentUse>[] = [
  ["by", "name"],
  ["sharedMs", "maybeTime"],
  ["reservedMs", "time"],
  ["gapMs", "time"],
];

/** What a change is: a use of the document, a renewal of its time. */
export interface ChangeNature {
  readonly uses: boolean;
  readonly renews: boolean;
}

/** The use of a document after a change by `client` at `nowMs`. */
export function usedBy(
  client: string,
  nowMs: number,
  before: DocumentUse | undefined,
  { uses, renews }: ChangeNature,
): DocumentUse {
  const { sharedMs = null, reservedMs = nowMs - FIRST_GAP_MS, gapMs = FIRST_GAP_MS } = before ?? {};
  // Nobody has come since, so it is not used densely any more.
  const usualMs = renews ? Math.max(gapMs, nowMs - reservedMs) : gapMs;
  return {
    by: client,
    sharedMs: before && before.by !== client ? nowMs : sharedMs,
    reservedMs: uses ? nowMs : reservedMs,
    gapMs: uses ? usualMs + GAP_WEIGHT * (nowMs - reservedMs - usualMs) : usualMs,
  };
}

/** True when several clients have used the document lately. */
export function isShared({ sharedMs }: DocumentUse, lastMs: number): boolean {
  return sharedMs !== null && lastMs - sharedMs < SHARED_FOR_MS;
}

/**
 * When the last writer is to record the document's time again, in milliseconds from the last record; undefined when
 * nothing lies ahead. At the end of what lies ahead, so that whoever comes later finds it past; before that only if
 * several clients use the document.
 */
export function renewInMs(use: DocumentUse, lastMs: number, aheadUntilMs: number): number | undefined {
  const aheadMs = aheadUntilMs - lastMs;
  if (aheadMs <= 0) return undefined;
  const untilPastMs = Math.max(aheadMs, RENEW_MS);
  if (!isShared(use, lastMs)) return untilPastMs;
  return Math.min(untilPastMs, use.gapMs >= RENEW_MS ? RENEW_MS : DENSE_RENEW_MS);
}
