import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchGroup, patchTimes, patchView, restoreGeneration } from "./rows.ts";

/** R5, R6: what makes a new generation, and what the capacity is. */
export const generationMutants: readonly Mutant[] = [
  mutant("the clock error answered is the member's own", "R6", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      return patchTimes(table, view, () => ({ clockErrorMs: table.member(ref.incarnation)?.clockErrorMs ?? 0 }));
    },
  }),
  mutant("the clock error of a member that left counts no more", "R6", {
    deregister: ({ table }, proceed) => {
      proceed();
      patchGroup(table, () => ({ aheadUntilMs: 0 }));
    },
  }),
  mutant("the clock error of a member that left counts for ever", "R6", {
    deregister: ({ table }, proceed) => {
      const clockErrorMs = table.group()?.clockErrorMs ?? 0;
      proceed();
      patchGroup(table, () => ({ clockErrorMs }));
    },
  }),
  mutant("the generation is not raised when a member joins", "R5", {
    register: ({ table }, proceed) => {
      const before = table.group();
      const view = proceed();
      restoreGeneration(table, before);
      return patchView(view, (answer) => ({ generation: before?.generation ?? answer.generation }));
    },
  }),
  mutant("the generation is not raised when a member leaves", "R5", {
    deregister: ({ table }, proceed) => {
      const before = table.group();
      proceed();
      restoreGeneration(table, before);
    },
  }),
  mutant("the generation is not raised when a stale member is removed", "R5", {
    sync: ({ table }, proceed) => {
      const before = table.group();
      const view = proceed();
      if (!before || (table.group()?.poolSize ?? 0) >= before.poolSize) return view;
      restoreGeneration(table, before);
      return patchView(view, () => ({ generation: before.generation }));
    },
  }),
  mutant("the generation is not raised when the capacity changes", "R5", {
    sync: ({ table }, proceed) => {
      const before = table.group();
      const view = proceed();
      if (!before || table.group()?.capacity === before.capacity) return view;
      restoreGeneration(table, before);
      return patchView(view, () => ({ generation: before.generation }));
    },
  }),
  mutant("every report raises the generation", "R5", {
    sync: (operation, proceed) => {
      const view = proceed();
      patchGroup(operation.table, (row) => ({ generation: row.generation + 1, adopted: 0 }));
      return view;
    },
  }),
  mutant("a stranger's farewell raises the generation", "R5", {
    deregister: ({ table, ref }, proceed) => {
      if (!table.member(ref.incarnation)) patchGroup(table, (row) => ({ generation: row.generation + 1, adopted: 0 }));
      proceed();
    },
  }),
  mutant("generations count from one", "R5", {
    register: (operation, proceed) => counted(operation.table, proceed),
    sync: (operation, proceed) => counted(operation.table, proceed),
    deregister: (operation, proceed) => {
      counted(operation.table, proceed);
    },
  }),
  mutant("a group that everybody left is forgotten, and its generation with it", "R5", {
    deregister: ({ table }, proceed) => {
      proceed();
      if (table.row?.poolSize === 0) table.row = undefined;
    },
  }),
  mutant("the capacity is the largest max", "R6", {
    table: class extends PlainTable {
      override smallestMax(): number | undefined {
        return this.rows.size === 0 ? undefined : Math.max(...this.members().map((row) => row.max));
      }
    },
    register: ({ table, request }, proceed) => {
      const before = table.group()?.capacity ?? 0;
      const view = proceed();
      const capacity = Math.max(before, request.max);
      patchGroup(table, () => ({ capacity }));
      return patchView(view, () => ({ capacity }));
    },
  }),
  mutant("the capacity is what the first member declared", "R6", {
    register: ({ table, request }, proceed) => proceed({ ...request, max: table.members()[0]?.max ?? request.max }),
  }),
  mutant("the capacity stays when the member with the smallest max leaves", "R6", {
    deregister: ({ table }, proceed) => {
      const before = table.group();
      proceed();
      patchGroup(table, () => ({ capacity: before?.capacity ?? 0 }));
    },
  }),
  mutant("the capacity stays when the member with the smallest max goes stale", "R6", {
    sync: ({ table }, proceed) => {
      const before = table.group();
      const view = proceed();
      if (!before || (table.group()?.poolSize ?? 0) >= before.poolSize) return view;
      patchGroup(table, () => ({ capacity: before.capacity }));
      return patchView(view, () => ({ capacity: before.capacity }));
    },
  }),
  mutant("a report of another max is ignored", "R6", {
    sync: ({ table, ref, request }, proceed) =>
      proceed({ ...request, max: table.member(ref.incarnation)?.max ?? request.max }),
  }),
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
