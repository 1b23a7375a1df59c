import { Store } from "@dt/core/store";
import { podCountBackend } from "./backend.ts";
import type { PodCountOptions } from "./options.ts";

/**
 * Coordination without a store: how many members there are is observed, and each takes its part of `max` by itself.
 * Nothing is kept and nobody is asked, so the promise is weaker than a ledger's (the README states by how much). What
 * differs from the contract because of that: only this process's own member is known, so the capacity is its own `max`,
 * the generation its own count of changes, `inspect` shows it alone; no level is resumed; a group has one throttle for
 * each store object, since one process is one member: a second one is refused (`DT_INVALID_OPTION`). `register` and
 * `sync` also fail as the source does: out of sight, or without this member in its list.
 */
export class PodCountStore extends Store {
  /**
   * Opens nothing yet: the first registration does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: PodCountOptions) {
    super(podCountBackend(options));
  }
}

/**
 * A {@link PodCountStore}. @throws DtError `DT_INVALID_OPTION`
 * @param options where the number of processes comes from
 * @example const store = podCountStore({ source: kubernetesSource({ service: "workers" }) });
 */
export function podCountStore(options: PodCountOptions): PodCountStore {
  return new PodCountStore(options);
}
