import type { PermitEntry, PermitRow } from "@dt/core/ledger";
import { instantOf } from "@dt/core/ledger";
import type { Mutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P6, P7: what arrives twice, what is given back. */
export const releaseMutants: readonly Mutant[] = [
  {
    name: "a repeat reserves again",
    rule: "P6",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            asking = false;
            override entry(id: string): PermitEntry | undefined {
              return this.asking ? undefined : super.entry(id);
            }
          })(),
        reserve: ({ table }, proceed) => {
          const flagged = table as PlainPermitTable & { asking: boolean };
          flagged.asking = true;
          try {
            return proceed();
          } finally {
            flagged.asking = false;
          }
        },
      },
    },
  },
  {
    name: "a repeat is answered from now on instead of the instants it was given",
    rule: "P6",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          const known = table.entries.has(request.id);
          const answer = proceed();
          return known ? { ...answer, firstMs: answer.firstMs + request.everyMs, earliestMs: nowMs } : answer;
        },
      },
    },
  },
  {
    name: "a reservation is forgotten with its last instant",
    rule: "P6",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, keepMs: 0 }) } },
  },
  {
    name: "nothing is ever forgotten",
    rule: "P6",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override forgetEntries(): void {}
          })(),
      },
    },
  },
  {
    name: "releasing twice frees twice",
    rule: "P6",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override putEntry(entry: PermitEntry): void {
              // The number that is left is not written down.
              if (!this.entries.has(entry.id)) super.putEntry(entry);
            }
          })(),
      },
    },
  },
  {
    name: "a repeat of what was given back reserves again",
    rule: "P6",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          const freed = proceed();
          if (request.keep === 0) table.entries.delete(request.id);
          return freed;
        },
      },
    },
  },
  {
    name: "a release gives back the whole block",
    rule: "P7",
    flaw: { permits: { release: ({ request }, proceed) => proceed({ ...request, keep: 0 }) } },
  },
  {
    name: "a release gives back one permit, however many there are",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          const granted = table.entry(request.id)?.granted ?? 0;
          return proceed({ ...request, keep: Math.max(request.keep, granted - 1) });
        },
      },
    },
  },
  {
    name: "a release gives back the beginning of a block instead of its end",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          const entry = table.entry(request.id);
          if (!entry || request.keep === 0 || request.keep >= entry.granted) return proceed();
          for (let i = 0; i < entry.granted - request.keep; i++)
            table.addFreed({ atMs: instantOf(entry, i), widthMs: entry.stepMs });
          table.putEntry({ ...entry, granted: request.keep });
          return true;
        },
      },
    },
  },
  {
    name: "a release of the last reservation leaves its place taken",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table }, proceed) => {
          const before = table.row();
          const freed = proceed();
          const after = table.row();
          if (before && after && after.tatMs < before.tatMs)
            table.putRow({ ...after, tatMs: before.tatMs } as PermitRow);
          return freed;
        },
      },
    },
  },
  {
    name: "a release that keeps more than there are adds to the reservation",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          const entry = table.entry(request.id);
          if (entry && request.keep > entry.granted) table.putEntry({ ...entry, granted: request.keep });
          return proceed();
        },
      },
    },
  },
  {
    name: "a release of an unknown id frees the last reservation",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          if (table.entries.has(request.id) || table.line.has(request.id)) return proceed();
          const last = [...table.entries.keys()].at(-1);
          return proceed(last === undefined ? request : { id: last, keep: 0 });
        },
      },
    },
  },
  {
    name: "a release of an unknown id is an error",
    rule: "P7",
    flaw: {
      permits: {
        release: ({ table, request }, proceed) => {
          if (!table.entries.has(request.id) && !table.line.has(request.id)) throw new Error("no such reservation");
          return proceed();
        },
      },
    },
  },
];
