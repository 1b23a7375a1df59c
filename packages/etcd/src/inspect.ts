import { DamagedData, type HybridClock, type TimeKeeper } from "@dt/cas";
import type { GroupSnapshot } from "@dt/core";
import { inspect } from "@dt/core/ledger";
import { Cells, NotRead } from "./cells.ts";
import type { Driver } from "./driver.ts";
import { storedHead } from "./head.ts";
import type { GroupKeys } from "./keys.ts";
import { RowTable } from "./row-table.ts";
import type { Sweeper } from "./sweeper.ts";

/** What is needed to look at a group. */
export interface InspectContext {
  readonly driver: Driver;
  readonly keys: GroupKeys;
  readonly clock: HybridClock;
  readonly time: TimeKeeper<string>;
  readonly sweeper: Sweeper;
}

/**
 * The ledger as data, in one request of O(members).
 * @throws DtError `DT_STORE_DATA` when the keys do not make up a ledger
 */
export async function inspectGroup(context: InspectContext, group: string): Promise<GroupSnapshot> {
  const { driver, keys, clock, time, sweeper } = context;
  const [found = []] = await driver.list([{ prefix: keys.all, keysOnly: false }]);
  const entries = new Map(found.map((entry) => [entry.key, entry]));
  const head = time.take(storedHead(entries.get(keys.head)));
  const read = new Set([keys.group, ...entries.keys()]);
  const table = new RowTable(keys, new Cells(read, entries), head?.timeMs ?? 0, [], "");
  const row = table.group();
  if (row) clock.observe(row.lastMs);
  try {
    const snapshot = inspect(table, group, clock.now());
    // The times in the rows are those of recorded reports; a mere heartbeat only keeps the sign of life.
    const members = snapshot.members.map((member) => {
      const stored = table.stored(member.incarnation);
      const isAlive = entries.has(keys.aliveOf(member.incarnation)) || !stored;
      const { used, waiting, ...rest } = member;
      // Mere heartbeats do not record what the member does: what it did long ago would pass for what it does (R27).
      const isOld = stored === undefined || member.silentMs > stored.row.staleAfterMs;
      return {
        ...(isOld ? rest : member),
        // Without its sign of life it was silent for as long as that lasts, at least, before the observer looked.
        silentMs: isAlive ? 0 : Math.max(stored.leaseMs, sweeper.silentMs(stored)),
      };
    });
    return { ...snapshot, members };
  } catch (error) {
    if (error instanceof NotRead) throw new DamagedData(`etcd prefix ${keys.all}`, `a ledger without ${error.key}`);
    throw error;
  }
}
