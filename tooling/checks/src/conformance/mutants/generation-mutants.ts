import { type Mutant, mutant } from "./flaw.ts";
import { patchGroup, patchTimes, patchView, restoreGeneration } from "./rows.ts";

/** R5, R6: what makes a new generation, and what the capacity is. */
export const generationMutants: readonly Mutant[] = [
  mutant("the clock error answered is the member's own", "R6", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      return patchTimes(table, view, () => ({ clockErrorMs: table.member(ref.incarnation)?.clockErrorMs ?? 0 }));
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
      if (!before || (table.group()?.memberCount ?? 0) >= before.memberCount) return view;
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
  mutant("a stranger's farewell raises the generation", "R5", {
    deregister: ({ table, ref }, proceed) => {
      if (!table.member(ref.incarnation)) patchGroup(table, (row) => ({ generation: row.generation + 1, adopted: 0 }));
      proceed();
    },
  }),
  mutant("a group that all members left is forgotten, and its generation with it", "R5", {
    deregister: ({ table }, proceed) => {
      proceed();
      if (table.row?.memberCount === 0) table.row = undefined;
    },
  }),
  mutant("the capacity is what the first member declared", "R6", {
    register: ({ table, request }, proceed) => proceed({ ...request, max: table.members()[0]?.max ?? request.max }),
  }),
  mutant("a report of another max is ignored", "R6", {
    sync: ({ table, ref, request }, proceed) =>
      proceed({ ...request, max: table.member(ref.incarnation)?.max ?? request.max }),
  }),
];
