import type { Put } from "./series.ts";

/** What of a pacer's status becomes metrics. */
export interface PacerStatus {
  readonly limit: { readonly everyMs: number; readonly burst: number };
  readonly reserved?: number | undefined;
  readonly wasted: number;
  readonly lastError: unknown;
}

/** Puts what a pacer has beside other limiters. Its limit is in permits a second. */
export function putPacer({ limit, reserved, wasted, lastError }: PacerStatus, put: Put): void {
  put("dt.limit", 1_000 / limit.everyMs);
  put("dt.limit.interval", 1);
  put("dt.permits.reserved", reserved);
  put("dt.permits.wasted", wasted);
  put("dt.store.valid", Number(lastError === undefined));
}
