/** What became of records. */
export interface Counts {
  readonly success: number;
  /** Not taken: by the callee (429), or not sent because it would not have been. */
  readonly throttled: number;
  readonly errors: number;
  /** Not sent and not written, with `--on-throttled drop`. */
  readonly dropped: number;
}

export const NONE: Counts = { success: 0, throttled: 0, errors: 0, dropped: 0 };

export function totalOf({ success, throttled, errors, dropped }: Counts): number {
  return success + throttled + errors + dropped;
}

export function sumOf(a: Counts, b: Counts): Counts {
  return {
    success: a.success + b.success,
    throttled: a.throttled + b.throttled,
    errors: a.errors + b.errors,
    dropped: a.dropped + b.dropped,
  };
}
