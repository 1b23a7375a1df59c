import type { PermitRow } from "@dt/core/ledger";
import { altered } from "../altered.ts";
import { type Mutant, mutant, permitMutant } from "../flaw.ts";
import type { PlainPermitTable } from "../suite-internals.ts";

/** P12: what a reset leaves. */
export const resetMutants: readonly Mutant[] = [
  permitMutant("a reset leaves later reservations, and others are given the same instants", "P12", {
    reset: ({ table }, proceed) => keeping(table, "entries", proceed),
  }),
  permitMutant("a distance of a day is kept by a reset", "P12", {
    reset: ({ table }, proceed) => {
      const last = [...table.entries.values()].at(-1);
      const { tatMs = 0 } = table.key ?? {};
      proceed();
      if (last && last.stepMs > 60_000) change(table, () => ({ tatMs }));
    },
  }),
  permitMutant("a reset leaves instants that were given back", "P12", {
    reset: ({ table }, proceed) => keeping(table, "freed", proceed),
  }),
  permitMutant("a reset leaves the terms", "P12", {
    reset: ({ table }, proceed) => {
      const { terms } = table.key ?? {};
      proceed();
      change(table, () => ({ terms }));
    },
  }),
  mutant("a reset takes along every key whose name begins like it", "P12", {
    wrap: (store, server) =>
      altered(store, {
        resetPermits: async (key, signal) => {
          for (const other of server.permits.keys()) if (other.startsWith(key)) await store.resetPermits(other, signal);
          await store.resetPermits(key, signal);
        },
      }),
  }),
  permitMutant("a key whose data is damaged is served as if it were new", "P12", { damaged: "served" }),
];

function change(table: PlainPermitTable, changes: (row: PermitRow) => Partial<PermitRow>): void {
  const row = table.row();
  if (row) table.putRow({ ...row, ...changes(row) });
}

/** Resets all but one part of a key. */
function keeping<Part extends "entries" | "freed">(table: PlainPermitTable, part: Part, proceed: () => void): void {
  const before = table.clone();
  proceed();
  table[part] = before[part];
}
