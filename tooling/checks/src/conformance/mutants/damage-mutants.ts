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
  mutant("repair changes a sound group", "R18", {
    repair: ({ table }, proceed) => {
      const report = proceed();
      patchGroup(table, ({ generation }) => ({ generation: generation + 1, adopted: 0 }));
      return report;
    },
  }),
  mutant("repair does not report the damage", "R18", { repair: (_, proceed) => ({ ...proceed(), found: [] }) }),
  mutant("a reset keeps the members", "R18", { repair: (_, proceed) => proceed({ reset: false }) }),
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
