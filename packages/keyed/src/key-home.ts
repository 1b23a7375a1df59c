import type { BucketLimit, BucketRequest } from "@dt/core";
import type { Events, TimedAnswer } from "@dt/core/internal";
import type { Whose } from "./errors.ts";
import type { KeyedEvents } from "./events.ts";
import type { KeyedSettings } from "./options.ts";

/** Counts of a keyed limit, as its status shows them. */
export interface Counts {
  decisions: number;
  local: number;
  wouldRefuse: number;
  unchecked: number;
  requests: number;
  roundTrips: number;
  slotsLost: number;
}

/** What a key asks of the store, without its limit and its names. */
export type Asked = Omit<BucketRequest, "name" | "key" | "limit" | "formerLimit">;

/** What a key has of its limit. */
export interface KeyHome {
  readonly settings: KeyedSettings;
  readonly events: Events<KeyedEvents>;
  readonly counts: Counts;
  /** A caller that waits for a slot looks again after about so long. */
  readonly retryMs: number;
  /** How often the machine was suspended, as far as that was noticed: local times of before tell nothing. */
  readonly naps: number;
  /** The limit that this process gives for a key. */
  limitOf(key: string): BucketLimit;
  /** Sends a request of a key with what travels together; `asked` is called once it is sent. */
  send(whose: Whose, limit: BucketLimit, asked: () => Asked): Promise<TimedAnswer>;
  /** A key has something to tell the store. It waits a little, so that it travels with others. */
  flushSoon(key: { flush(): Promise<void> }): void;
  /** What to wait for before a call is decided, where the limit of all keys lives in the store and may have changed. */
  upToDate(): Promise<void> | undefined;
  slotLost(key: string): void;
  /** The limit makes callers wait, or refuses one of them. */
  limited(): void;
  /** An id that no other process has, and no other key. */
  nextId(): string;
}
