import type { LimiterKind } from "../stores/limiter.ts";
import type { FleetMemory } from "./fleet-memory.ts";

/** What is read of a fleet, and how. */
export interface ReadOptions {
  /** These limiters alone: of this kind, with this name; of a keyed limit this key. */
  readonly only?: { readonly kind?: LimiterKind; readonly name?: string; readonly key?: string };
  /** The most keys of keyed limits that are looked at; all are counted. @default 1_000 */
  readonly keys?: number;
  /** Of a keyed limit so many keys are written out. @default 20 */
  readonly busiest?: number;
  /** A member that reported nothing for so long counts as silent, in milliseconds. @default 3_000 */
  readonly silentAfterMs?: number;
  /** The most requests at the same time. @default 16 */
  readonly concurrency?: number;
  /** What a reader remembers that reads again and again: each time it looks at other keys, and it lists less often. */
  readonly memory?: FleetMemory;
  /** Ends the reading early, with its reason. */
  readonly signal?: AbortSignal;
}
