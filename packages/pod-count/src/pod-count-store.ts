import { Store } from "@dt/core/store";
import { podCountBackend } from "./backend.ts";
import type { PodCountOptions } from "./options.ts";

/**
 * Coordination without a store: the number of members is observed, and each takes its part of `max` by itself. No
 * record is kept, so the promise is weaker than a ledger's; the README states by how much. It differs from the
 * contract:
 *
 * - Only this process's own member is known. The capacity is its own `max`, the generation its own count of changes,
 *   and `inspect` shows it alone.
 * - No level is resumed.
 * - A group has one throttle for each store object, since one process is one member. A second one is refused
 *   (`DT_INVALID_OPTION`).
 * - `register` and `sync` also fail with the source: when it cannot be read, or does not list this member.
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
