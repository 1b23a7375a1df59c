import type { Mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup, patchTimes, patchView, restoreGeneration } from "./rows.ts";

/** R5, R6: what makes a new generation, and what the capacity is. */
export const generationMutants: readonly Mutant[] = [
  {
    name: "the clock error answered is the member's own",
    rule: "R6",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        const view = proceed();
        return patchTimes(table, view, () => ({ clockErrorMs: table.member(ref.incarnation)?.clockErrorMs ?? 0 }));
      },
    },
  },
  {
    name: "the clock error of a member that left counts no more",
    rule: "R6",
    flaw: {
      deregister: ({ table }, proceed) => {
        proceed();
        patchGroup(table, () => ({ aheadUntilMs: 0 }));
      },
    },
  },
  {
    name: "the clock error of a member that left counts for ever",
    rule: "R6",
    flaw: {
      deregister: ({ table }, proceed) => {
        const clockErrorMs = table.group()?.clockErrorMs ?? 0;
        proceed();
        patchGroup(table, () => ({ clockErrorMs }));
      },
    },
  },
  {
    name: "the generation is not raised when a member joins",
    rule: "R5",
    flaw: {
      register: ({ table }, proceed) => {
        const before = table.group();
        const view = proceed();
        restoreGeneration(table, before);
        return patchView(view, (answer) => ({ generation: before?.generation ?? answer.generation }));
      },
    },
  },
  {
    name: "the generation is not raised when a member leaves",
    rule: "R5",
    flaw: {
      deregister: ({ table }, proceed) => {
        const before = table.group();
        proceed();
        restoreGeneration(table, before);
      },
    },
  },
  {
    name: "the generation is not raised when a stale member is removed",
    rule: "R5",
    flaw: {
      sync: ({ table }, proceed) => {
        const before = table.group();
        const view = proceed();
        if (!before || (table.group()?.poolSize ?? 0) >= before.poolSize) return view;
        restoreGeneration(table, before);
        return patchView(view, () => ({ generation: before.generation }));
      },
    },
  },
  {
    name: "the generation is not raised when the capacity changes",
    rule: "R5",
    flaw: {
      sync: ({ table }, proceed) => {
        const before = table.group();
        const view = proceed();
        if (!before || table.group()?.capacity === before.capacity) return view;
        restoreGeneration(table, before);
        return patchView(view, () => ({ generation: before.generation }));
      },
    },
  },
  {
    name: "every report raises the generation",
    rule: "R5",
    flaw: {
      sync: (operation, proceed) => {
        const view = proceed();
        patchGroup(operation.table, (row) => ({ generation: row.generation + 1, adopted: 0 }));
        return view;
      },
    },
  },
  {
    name: "a stranger's farewell raises the generation",
    rule: "R5",
    flaw: {
      deregister: ({ table, ref }, proceed) => {
        if (!table.member(ref.incarnation))
          patchGroup(table, (row) => ({ generation: row.generation + 1, adopted: 0 }));
        proceed();
      },
    },
  },
  {
    name: "generations count from one",
    rule: "R5",
    flaw: {
      register: (operation, proceed) => counted(operation.table, proceed),
      sync: (operation, proceed) => counted(operation.table, proceed),
      deregister: (operation, proceed) => {
        counted(operation.table, proceed);
      },
    },
  },
  {
    name: "a group that everybody left is forgotten, and its generation with it",
    rule: "R5",
    flaw: {
      deregister: ({ table }, proceed) => {
        proceed();
        if (table.row?.poolSize === 0) table.row = undefined;
      },
    },
  },
  {
    name: "the capacity is the largest max",
    rule: "R6",
    flaw: {
      table: () =>
        new (class extends PlainTable {
          override smallestMax(): number | undefined {
            return this.rows.size === 0 ? undefined : Math.max(...this.members().map((row) => row.max));
          }
        })(),
      register: ({ table, request }, proceed) => {
        const before = table.group()?.capacity ?? 0;
        const view = proceed();
        const capacity = Math.max(before, request.max);
        patchGroup(table, () => ({ capacity }));
        return patchView(view, () => ({ capacity }));
      },
    },
  },
  {
    name: "the capacity is what the first member declared",
    rule: "R6",
    flaw: {
      register: ({ table, request }, proceed) => proceed({ ...request, max: table.members()[0]?.max ?? request.max }),
    },
  },
  {
    name: "the capacity stays when the member with the smallest max leaves",
    rule: "R6",
    flaw: {
      deregister: ({ table }, proceed) => {
        const before = table.group();
        proceed();
        patchGroup(table, () => ({ capacity: before?.capacity ?? 0 }));
      },
    },
  },
  {
    name: "the capacity stays when the member with the smallest max goes stale",
    rule: "R6",
    flaw: {
      sync: ({ table }, proceed) => {
        const before = table.group();
        const view = proceed();
        if (!before || (table.group()?.poolSize ?? 0) >= before.poolSize) return view;
        patchGroup(table, () => ({ capacity: before.capacity }));
        return patchView(view, () => ({ capacity: before.capacity }));
      },
    },
  },
  {
    name: "a report of another max is ignored",
    rule: "R6",
    flaw: {
      sync: ({ table, ref, request }, proceed) =>
        proceed({ ...request, max: table.member(ref.incarnation)?.max ?? request.max }),
    },
  },
];

/** Numbers a change of generation as the one before plus one, as if time did not matter. */
function counted<Answer>(table: PlainTable, proceed: () => Answer): Answer {
  const before = table.group()?.generation ?? 0;
  const answer = proceed();
  const row = table.group();
  if (!row || row.generation === before) return answer;
  const made = row.generation;
  patchGroup(table, () => ({ generation: before + 1 }));
  for (const member of table.members())
    if (member.generation === made) table.putMember({ ...member, generation: before + 1 });
  const view = answer as { generation?: number } | undefined;
  return (view?.generation === made ? { ...view, generation: before + 1 } : answer) as Answer;
}
