import { Store } from "@dt/core/store";
import { etcdBackend } from "./backend.ts";
import type { EtcdStoreOptions } from "./options.ts";

/**
 * A store in etcd. The ledger is a few small keys that are compared and swapped, with leases for liveness. Each pacer's
 * key is one key of etcd. The clock is a hybrid logical one, since etcd has none. In addition to the contracts' errors
 * it throws `DT_STORE_UNSUITABLE` when etcd refuses the user, and `DT_STORE_DATA` when the keys were written by a newer
 * version.
 */
export class EtcdStore extends Store {
  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: EtcdStoreOptions) {
    super(etcdBackend(options));
  }
}

/**
 * A coordination store in etcd; the same as `new EtcdStore(options)`.
 * @param options the client, or how to connect
 * @example const store = etcdStore({ endpoints: "http://localhost:2379" });
 */
export function etcdStore(options: EtcdStoreOptions): EtcdStore {
  return new EtcdStore(options);
}
