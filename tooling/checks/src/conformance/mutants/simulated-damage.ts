import type { StoreDamage } from "@dt/conformance";
import type { MemberRef } from "@dt/core";
import { bucketName } from "@dt/core/ledger";
import type { Flaw } from "./flaw.ts";
import { GROUP, type PlainTable } from "./plain-table.ts";
import { patchGroup } from "./rows.ts";
import { limitKey } from "./simulated-limits.ts";
import type { SimulatedServer } from "./simulated-server.ts";

/** What may be done to a simulated server's data. */
export function simulatedDamage(server: SimulatedServer, flaw: Flaw): Required<StoreDamage> {
  const named = (group: string): PlainTable => server.table(flaw.key ? flaw.key(group) : group);
  return {
    spoilMember: async (group: string, { incarnation }: MemberRef) => {
      named(group).spoiled.add(incarnation);
    },
    spoilGroup: async (group) => {
      named(group).spoiled.add(GROUP);
    },
    deleteGroup: async (group) => {
      named(group).row = undefined;
    },
    spoilSums: async (group) => {
      patchGroup(named(group), () => ({ held: 0 }));
    },
    makeNewer: async (group) => {
      const table = named(group);
      table.newer = true;
      return async () => {
        table.newer = false;
      };
    },
    spoilBudget: async (budget) => {
      server.damagedBudgets.add(flaw.budgets?.key ? flaw.budgets.key(budget) : budget);
    },
    spoilBucket: async (bucket) => {
      server.damagedBuckets.add((flaw.buckets?.key ?? bucketName)(bucket));
    },
    spoilLimit: async (target) => {
      const key = limitKey(target, flaw.limits ?? {});
      const row = server.limits.get(key);
      if (row) server.limits.set(key, { ...row, revision: -1, values: "nonsense" });
    },
    spoilPermits: async (key) => {
      server.damagedPermits.add(flaw.permits?.key ? flaw.permits.key(key) : key);
    },
  };
}
