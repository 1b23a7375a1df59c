import { cellBackend, Sessions } from "@dt/cas";
import { randomId, type StoreCapabilities } from "@dt/core";
import type { Backend } from "@dt/core/store";
import { EtcdDocumentCell } from "./documents/etcd-document-cell.ts";
import { Leases } from "./documents/leases.ts";
import { toDtError } from "./errors.ts";
import { GroupSession, type SessionContext } from "./group-session.ts";
import { allBuckets, allBudgets, allPermits, bucketNameOf, cellKey, groupKeys, nameOf } from "./keys.ts";
import { listenTo } from "./listen.ts";
import { listGroups, listKeys } from "./listing.ts";
import { checkEtcdStoreOptions, type EtcdStoreOptions } from "./options.ts";

/** What every etcd store can do. */
export const etcdCapabilities: StoreCapabilities = {
  name: "etcd",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  hints: true,
  demand: true,
  demandMembers: 100,
};

/**
 * How long a key of permits or a budget is kept after each write at least. There are few of them; of the keys of a
 * keyed limit there may be millions, most of which nobody asks for again.
 */
const LEAST_KEPT_MS = 60_000;

/** Keys of etcd. @throws DtError `DT_INVALID_OPTION` */
export function etcdBackend(options: EtcdStoreOptions): Backend {
  const { prefix, ...settings } = checkEtcdStoreOptions(options);
  return backendOn({ ...settings, client: randomId(settings.runtime) }, prefix);
}

/** The same over any driver. */
export function backendOn(context: SessionContext, prefix: string): Backend {
  const { driver, runtime, timeoutMs, client } = context;
  const groups = new Sessions((group) => new GroupSession(groupKeys(prefix, group), context));
  const leases = new Leases(driver, runtime);
  return cellBackend({
    capabilities: etcdCapabilities,
    runtime,
    timeoutMs,
    client,
    groups,
    cellOf: (cell) =>
      new EtcdDocumentCell(driver, cellKey(prefix, cell), leases, cell.kind === "keyed" ? 0 : LEAST_KEPT_MS),
    names: (kind, place) => {
      if (kind === "group") return listGroups(driver, prefix, place);
      if (kind === "keyed") return listKeys(driver, allBuckets(prefix), place, bucketNameOf);
      return listKeys(driver, kind === "permits" ? allPermits(prefix) : allBudgets(prefix), place, nameOf);
    },
    listen: listenTo(driver, prefix, (group, { timeMs }) => groups.get(group)?.clock.observe(timeMs)),
    toDtError,
    close: () => driver.close(),
  });
}
