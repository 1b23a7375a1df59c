import type { FreedInstant, PermitRow } from "@dt/core/ledger";
import { altered } from "../altered.ts";
import type { Mutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P12: what a reset leaves. */
export const resetMutants: readonly Mutant[] = [
  { name: "a reset does nothing", rule: "P12", flaw: { permits: { reset: () => {} } } },
  {
    name: "a reset forgets permits that are about to be used",
    rule: "P12",
    flaw: { permits: { reset: ({ table }) => table.become(new PlainPermitTable()) } },
  },
  {
    name: "a reset leaves what comes within ten seconds only",
    rule: "P12",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override forgetAfter(untilMs: number): FreedInstant | undefined {
              return super.forgetAfter(untilMs - 50_000);
            }
          })(),
      },
    },
  },
  {
    name: "the first permit after a reset comes together with the last one before it",
    rule: "P12",
    flaw: {
      permits: {
        reset: ({ table }, proceed) => {
          proceed();
          change(table, ({ tatMs }) => ({ tatMs: tatMs - 25_000 }));
        },
      },
    },
  },
  {
    name: "a reset leaves later reservations, and others are given the same instants",
    rule: "P12",
    flaw: { permits: { reset: ({ table }, proceed) => keeping(table, "entries", proceed) } },
  },
  {
    name: "permits after a reset come after all that it forgot",
    rule: "P12",
    flaw: {
      permits: {
        reset: ({ table }, proceed) => {
          const { tatMs = 0 } = table.key ?? {};
          proceed();
          change(table, () => ({ tatMs }));
        },
      },
    },
  },
  {
    name: "a distance of a day is kept by a reset",
    rule: "P12",
    flaw: {
      permits: {
        reset: ({ table }, proceed) => {
          const last = [...table.entries.values()].at(-1);
          const { tatMs = 0 } = table.key ?? {};
          proceed();
          if (last && last.stepMs > 60_000) change(table, () => ({ tatMs }));
        },
      },
    },
  },
  {
    name: "a reset leaves instants that were given back",
    rule: "P12",
    flaw: { permits: { reset: ({ table }, proceed) => keeping(table, "freed", proceed) } },
  },
  {
    name: "a reset leaves places in line",
    rule: "P12",
    flaw: {
      permits: {
        reset: ({ table }, proceed) => {
          const line = new Map(table.line);
          proceed();
          table.line = line;
        },
      },
    },
  },
  {
    name: "a reset leaves the terms",
    rule: "P12",
    flaw: {
      permits: {
        reset: ({ table }, proceed) => {
          const { terms } = table.key ?? {};
          proceed();
          change(table, () => ({ terms }));
        },
      },
    },
  },
  {
    name: "a reset takes along every key whose name begins like it",
    rule: "P12",
    flaw: {
      wrap: (store, server) =>
        altered(store, {
          resetPermits: async (key, signal) => {
            for (const other of server.permits.keys())
              if (other.startsWith(key)) await store.resetPermits(other, signal);
            await store.resetPermits(key, signal);
          },
        }),
    },
  },
  {
    name: "a key whose data is damaged is served as if it were new",
    rule: "P12",
    flaw: { permits: { damaged: "served" } },
  },
  {
    name: "a reset does not mend a key whose data is damaged",
    rule: "P12",
    flaw: { permits: { damaged: "kept" } },
  },
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
