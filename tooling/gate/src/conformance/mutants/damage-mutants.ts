import { DtError } from "@dt/core";
import { DamagedData, type GroupRow, type MemberCount } from "@dt/core/ledger";
import type { Mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup } from "./rows.ts";

/** R18, and R8 of a store that knows the age of its data: damage, repair, loss. */
export const damageMutants: readonly Mutant[] = [
  {
    name: "what a damaged member held is given to others at once",
    rule: "R18",
    flaw: {
      heal: (operation, proceed) => {
        const isMembers = operation.table.storedMembers().some(({ read }) => isDamaged(read));
        proceed();
        if (isMembers) endLearning(operation);
      },
    },
  },
  {
    name: "a damaged group is made anew without a time in which its members claim",
    rule: "R18",
    flaw: {
      heal: (operation, proceed) => {
        const isGroups = isDamaged(() => operation.table.group());
        proceed();
        if (isGroups) endLearning(operation);
      },
    },
  },
  {
    name: "a group whose own row is missing begins anew beside its members",
    rule: "R18",
    flaw: { table: () => new Leftovers() },
  },
  {
    name: "the sum of what is held is never counted anew",
    rule: "R18",
    flaw: { table: () => new Uncounted() },
  },
  {
    name: "damage is an error that names no remedy",
    rule: "R18",
    flaw: {
      heal: () => {
        throw new DtError("DT_STORE_DATA", "Missing bytes in input");
      },
    },
  },
  {
    name: "damage makes the store unavailable",
    rule: "R18",
    flaw: {
      heal: () => {
        throw new DtError("DT_STORE_UNAVAILABLE", "the script failed");
      },
    },
  },
  {
    name: "damage stays, whatever the error says and repair is asked for",
    rule: "R18",
    flaw: {
      heal: () => {
        throw new DtError("DT_STORE_DATA", "a row is damaged; run dt repair");
      },
      repair: ({ table, request }, proceed) =>
        table.spoiled.size > 0 ? { found: ["a row is damaged"], members: 0, reset: request.reset === true } : proceed(),
    },
  },
  {
    name: "a group that healed learns for ever",
    rule: "R18",
    flaw: {
      heal: ({ table }, proceed) => {
        proceed();
        patchGroup(table, () => ({ learnUntilMs: 1e15 }));
      },
    },
  },
  {
    name: "what a newer version wrote is read as if it were one's own",
    rule: "R18",
    flaw: { table: () => new Unversioned() },
  },
  {
    name: "what a newer version wrote is taken for damage, and forgotten",
    rule: "R18",
    flaw: { table: () => new Newest() },
  },
  {
    name: "repair changes a sound group",
    rule: "R18",
    flaw: {
      repair: ({ table }, proceed) => {
        const report = proceed();
        patchGroup(table, ({ generation }) => ({ generation: generation + 1, adopted: 0 }));
        return report;
      },
    },
  },
  {
    name: "repair makes a group where there is none",
    rule: "R18",
    flaw: {
      repair: ({ table }, proceed) => {
        const report = proceed();
        return table.row ? report : { ...report, found: ["there was no group"] };
      },
    },
  },
  {
    name: "repair does not say what it found",
    rule: "R18",
    flaw: { repair: (_, proceed) => ({ ...proceed(), found: [] }) },
  },
  {
    name: "repair finds what is damaged, and leaves it as it is",
    rule: "R18",
    flaw: {
      repair: ({ table }, proceed) => {
        const spoiled = [...table.spoiled];
        const before = table.clone();
        const report = proceed();
        if (spoiled.length > 0) table.become(before);
        return report;
      },
    },
  },
  {
    name: "repair lets nobody claim what it forgot",
    rule: "R18",
    flaw: {
      repair: (operation, proceed) => {
        const report = proceed();
        if (report.found.length > 0) endLearning(operation);
        return report;
      },
    },
  },
  {
    name: "a reset keeps the members",
    rule: "R18",
    flaw: { repair: (_, proceed) => proceed({ reset: false }) },
  },
  {
    name: "a reset lets nobody claim what its members use",
    rule: "R18",
    flaw: {
      repair: (operation, proceed) => {
        const report = proceed();
        if (report.reset) endLearning(operation);
        return report;
      },
    },
  },
  {
    name: "a reset begins with the first generation again",
    rule: "R18",
    flaw: {
      repair: ({ table }, proceed) => {
        const report = proceed();
        if (report.reset) patchGroup(table, () => ({ generation: 1 }));
        return report;
      },
    },
  },
  {
    name: "a group that is new in old data learns all the same",
    rule: "R8",
    flaw: { capabilities: { dataAge: true }, dataSince: () => Number.POSITIVE_INFINITY },
  },
  {
    name: "data that was lost counts as old",
    rule: "R8",
    flaw: { capabilities: { dataAge: true }, dataSince: ({ begunMs }) => begunMs },
  },
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

/** Does not look for members where there is no group. */
class Leftovers extends PlainTable {
  override count(): MemberCount | undefined {
    return this.row ? super.count() : undefined;
  }
}

class Uncounted extends PlainTable {
  override count(): MemberCount | undefined {
    return this.row ? undefined : super.count();
  }
}

/** Takes every version for its own. */
class Unversioned extends PlainTable {
  override group(): GroupRow | undefined {
    const { newer } = this;
    this.newer = false;
    try {
      return super.group();
    } finally {
      this.newer = newer;
    }
  }
}

/** Takes every other version for damage. */
class Newest extends PlainTable {
  override group(): GroupRow | undefined {
    if (this.newer) throw new DamagedData("the simulated row of the group", "the format version 2");
    return super.group();
  }
}
