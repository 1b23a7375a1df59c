import type { CoordinationStore, KeyedLedger, LimitLedger } from "@dt/core";

/** A store that keeps buckets too, and perhaps stored limits. */
export type BucketStore = CoordinationStore & KeyedLedger & Partial<LimitLedger>;
