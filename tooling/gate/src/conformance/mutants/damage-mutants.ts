import { DtError } from "@dt/core";
import { DamagedData, type GroupRow, type MemberCount } from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup } from "./rows.ts";

/** R18, and R8 of a store that knows the age of its data: damage, repair, loss. */
export const damageMutants: readonly Mutant[] = [
  mutant("what a damaged member held is given to others at once", "R18", {
    heal: (operation, proceed) => {
      const isMembers = operation.table.storedMembers().some(({ read }) => isDamaged(read));
      proceed();
      if (isMembers) endLearning(operation);
    },
  }),
  mutant("a damaged group is made anew without a time in which its members claim", "R18", {
    heal: (operation, proceed) => {
      const isGroups = isDamaged(() => operation.table.group());
      proceed();
      if (isGroups) endLearning(operation);
    },
  }),
  mutant("a group whose own row is missing begins anew beside its members", "R18", {
    table: class extends PlainTable {
      override count(): MemberCount | undefined {
        return this.row ? super.count() : undefined;
      }
    },
  }),
  mutant("the sum of what is held is never counted anew", "R18", {
    table: class extends PlainTable {
      override count(): MemberCount | undefined {
        return this.row ? undefined : super.count();
      }
    },
  }),
  mutant("damage is an error that names no remedy", "R18", {
    heal: () => {
      throw new DtError("DT_STORE_DATA", "Missing bytes in input");
    },
  }),
  mutant("damage makes the store unavailable", "R18", {
    heal: () => {
      throw new DtError("DT_STORE_UNAVAILABLE", "the script failed");
    },
  }),
  mutant("damage stays, whatever the error says and repair is asked for", "R18", {
    heal: () => {
      throw new DtError("DT_STORE_DATA", "a row is damaged; run dt repair");
    },
    repair: ({ table, request }, proceed) =>
      table.spoiled.size > 0 ? { found: ["a row is damaged"], members: 0, reset: request.reset === true } : proceed(),
  }),
  mutant("a group that healed learns for ever", "R18", {
    heal: ({ table }, proceed) => {
      proceed();
      patchGroup(table, () => ({ learnUntilMs: 1e15 }));
    },
  }),
  mutant("what a newer version wrote is read as if it were one's own", "R18", {
    table: class extends PlainTable {
      override group(): GroupRow | undefined {
        const { newer } = this;
        this.newer = false;
        try {
          return super.group();
        } finally {
          this.newer = newer;
        }
      }
    },
  }),
  mutant("what a newer version wrote is taken for damage, and forgotten", "R18", {
    table: class extends PlainTable {
      override group(): GroupRow | undefined {
        if (this.newer) throw new DamagedData("the simulated row of the group", "the format version 2");
        return super.group();
      }
    },
  }),
  mutant("repair changes a sound group", "R18", {
    repair: ({ table }, proceed) => {
      const report = proceed();
      patchGroup(table, ({ generation }) => ({ generation: generation + 1, adopted: 0 }));
      return report;
    },
  }),
  mutant("repair makes a group where there is none", "R18", {
    repair: ({ table }, proceed) => {
      const report = proceed();
      return table.row ? report : { ...report, found: ["there was no group"] };
    },
  }),
  mutant("repair does not say what it found", "R18", { repair: (_, proceed) => ({ ...proceed(), found: [] }) }),
  mutant("repair finds what is damaged, and leaves it as it is", "R18", {
    repair: ({ table }, proceed) => {
      const spoiled = [...table.spoiled];
      const before = table.clone();
      const report = proceed();
      if (spoiled.length > 0) table.become(before);
      return report;
    },
  }),
  mutant("repair lets nobody claim what it forgot", "R18", {
    repair: (operation, proceed) => {
      const report = proceed();
      if (report.found.length > 0) endLearning(operation);
      return report;
    },
  }),
  mutant("a reset keeps the members", "R18", { repair: (_, proceed) => proceed({ reset: false }) }),
  mutant("a reset lets nobody claim what its members use", "R18", {
    repair: (operation, proceed) => {
      const report = proceed();
      if (report.reset) endLearning(operation);
      return report;
    },
  }),
  mutant("a reset begins with the first generation again", "R18", {
    repair: ({ table }, proceed) => {
      const report = proceed();
      if (report.reset) patchGroup(table, () => ({ generation: 1 }));
      return report;
    },
  }),
  mutant("a group that is new in old data learns all the same", "R8", {
    capabilities: { dataAge: true },
    dataSince: () => Number.POSITIVE_INFINITY,
  }),
  mutant("data that was lost counts as old", "R8", {
    capabilities: { dataAge: true },
    dataSince: ({ begunMs }) => begunMs,
  }),
];

function isDamaged(read: () => unknown): boolean {
  try {
    read();
  } catch (error) {
    return error instanceof DamagedData;
  }
  return false;
}

function endLearning({ table }: { readonly table: PlainTable }): void {
  patchGroup(table, () => ({ learnUntilMs: 0, repairs: 0 }));
}
