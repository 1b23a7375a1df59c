import type { DtError } from "@dt/core";
import { Events } from "@dt/core/internal";

/** The events of a server limit, and what each of them carries. */
export interface ServerLimitEvents {
  /** The store of a policy is away: once for each outage. `whenStoreLost` is what becomes of requests from now on. */
  readonly storeLost: { readonly policy: string; readonly error: DtError; readonly whenStoreLost: "allow" | "deny" };
  /** It is back: for how long it was away, in milliseconds, and how many requests could not be looked up. */
  readonly storeBack: { readonly policy: string; readonly forMs: number; readonly requests: number };
}

/** The name of an event of a server limit. */
export type ServerLimitEvent = keyof ServerLimitEvents;

const NAMES: Readonly<Record<ServerLimitEvent, true>> = { storeLost: true, storeBack: true };

/** The events of one server limit. */
export function serverLimitEvents(): Events<ServerLimitEvents> {
  return new Events<ServerLimitEvents>("server", NAMES, {});
}
