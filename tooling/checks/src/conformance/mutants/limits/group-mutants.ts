import type { Registration, Report } from "@dt/core";
import { limitStateOf } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { limitMutant, type Mutant, mutant } from "../flaw.ts";
import type { PlainTable } from "../plain-table.ts";
import { patchGroup, patchView, setHeld } from "../rows.ts";

/** The group's record is, for this operation, what the copy was made of: it looks as if nothing had changed. */
function unseen(table: PlainTable, nowMs: number): void {
  const copy = table.group()?.stored;
  const { record } = table;
  if (!copy || !record || limitStateOf(record, nowMs) === copy.revision) return;
  const values = copy.revision > 0 ? JSON.stringify(copy.values) : null;
  table.record =
    copy.revision === 0 ? undefined : { ...record, revision: Math.abs(copy.revision), values, untilMs: null };
}

/** The copy has the values of a request, whatever it had. */
function overwrite(table: PlainTable, { stored, max }: Pick<Registration | Report, "stored" | "max">): void {
  const copy = table.group()?.stored;
  if (stored && copy && copy.revision <= 0)
    patchGroup(table, () => ({ stored: { ...copy, values: { max } }, capacity: max }));
}

/** R36: groups whose limit lives in the store. */
export const storedGroupMutants: readonly Mutant[] = [
  mutant("a member with a stored limit declares its max all the same", "R36", {
    register: ({ request }, proceed) => proceed({ ...request, stored: false }),
    sync: ({ request }, proceed) => proceed({ ...request, stored: false }),
  }),
  mutant("a report does not look at the record", "R36", {
    sync: ({ table, nowMs }, proceed) => {
      unseen(table, nowMs);
      return proceed();
    },
  }),
  mutant("a registration does not look at the record", "R36", {
    register: ({ table, nowMs }, proceed) => {
      unseen(table, nowMs);
      if (!table.group()?.stored) table.record = undefined;
      return proceed();
    },
  }),
  mutant("a report without stored looks at the record too", "R36", {
    sync: ({ table, request, nowMs }, proceed) => {
      const view = proceed();
      const { record } = table;
      const copy = table.group()?.stored;
      if (request.stored || !copy || !record || limitStateOf(record, nowMs) <= 0) return view;
      const { max } = JSON.parse(record.values ?? "{}") as { readonly max: number };
      const capacity = Math.min(max, table.smallestMax() ?? max);
      patchGroup(table, () => ({ stored: { revision: record.revision, values: { max } }, capacity }));
      return patchView(view, () => ({ capacity }));
    },
  }),
  mutant("the max of each newcomer counts while no limit is set", "R36", {
    register: ({ table, request }, proceed) => {
      const view = proceed();
      overwrite(table, request);
      return patchView(view, () => ({ capacity: table.group()?.capacity ?? 0 }));
    },
  }),
  limitMutant("a limit for a while goes on in its group", "R36", { seen: (row) => row && { ...row, untilMs: null } }),
  mutant("the time of a limit is over by the group's time", "R36", {
    sync: ({ table, request }, proceed) => {
      const { record } = table;
      const groupMs = Math.max(table.group()?.lastMs ?? 0, request.observedMs ?? 0);
      if (record?.untilMs && groupMs >= record.untilMs) table.record = { ...record, values: null };
      return proceed();
    },
  }),
  limitMutant("a removed limit looks as if there had never been one", "R36", {
    seen: (row) => (row?.values === null ? undefined : row),
  }),
  mutant("the stored limit counts alone, whatever others declare", "R36", {
    sync: ({ table }, proceed) => {
      const view = proceed();
      const copy = table.group()?.stored;
      if (!copy || !isMember(view)) return view;
      patchGroup(table, () => ({ capacity: copy.values.max }));
      return patchView(view, () => ({ capacity: copy.values.max }));
    },
  }),
  limitMutant("a group goes by the limit of a budget of its name", "R36", {
    seen: (row, find) => row ?? find("budget"),
  }),
  mutant("a lower stored limit takes away at once what a member holds", "R7", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      if (!request.stored || !isMember(view) || view.held <= view.capacity) return view;
      setHeld(table, ref.incarnation, view.capacity);
      return patchView(view, ({ capacity }) => ({ held: capacity }));
    },
  }),
  mutant("a higher stored limit may be used in the epoch that runs", "R20", {
    sync: ({ table, request }, proceed) => {
      const before = table.group()?.stored?.values.max ?? Number.POSITIVE_INFINITY;
      const view = proceed();
      if (!isMember(view) || (table.group()?.stored?.values.max ?? 0) <= before) return view;
      return patchView(view, ({ held }) => ({ early: Math.max(0, held - request.held) }));
    },
  }),
  mutant("a semaphore is never over by its stored limit", "R32", {
    sync: ({ request }, proceed) => {
      const view = proceed();
      if (!request.stored || !isMember(view) || !view.demand?.slots) return view;
      return { ...view, demand: { ...view.demand, slots: { ...view.demand.slots, over: false } } };
    },
  }),
  mutant("a repeat brings a new limit", "R36", {
    sync: ({ table, ref, request, nowMs }, proceed) => {
      const member = table.member(ref.incarnation);
      const isRepeat = member !== undefined && request.seq <= member.seq;
      const view = proceed();
      const { record } = table;
      if (!isRepeat || !request.stored || !record || limitStateOf(record, nowMs) <= 0) return view;
      const { max } = JSON.parse(record.values ?? "{}") as { readonly max: number };
      patchGroup(table, () => ({ stored: { revision: record.revision, values: { max } }, capacity: max }));
      return view;
    },
  }),
  mutant("a stranger brings a new limit", "R36", {
    sync: ({ table, request, nowMs }, proceed) => {
      const view = proceed();
      const { record } = table;
      if (isMember(view) || !request.stored || !record || limitStateOf(record, nowMs) <= 0) return view;
      const { max } = JSON.parse(record.values ?? "{}") as { readonly max: number };
      if (table.group()?.stored)
        patchGroup(table, () => ({ stored: { revision: record.revision, values: { max } }, capacity: max }));
      return view;
    },
  }),
  mutant("the copy stays when the last member with a stored limit leaves", "R36", {
    deregister: ({ table }, proceed) => {
      const copy = table.group()?.stored ?? null;
      proceed();
      patchGroup(table, ({ capacity, memberCount }) => ({
        stored: copy,
        capacity: copy && memberCount > 0 ? Math.min(capacity, copy.values.max) : capacity,
      }));
    },
  }),
  mutant("the copy stays with members that all declare a max", "R36", {
    sync: ({ table }, proceed) => {
      const copy = table.group()?.stored ?? null;
      const view = proceed();
      if (!copy || table.group()?.stored) return view;
      patchGroup(table, ({ capacity }) => ({ stored: copy, capacity: Math.min(capacity, copy.values.max) }));
      return patchView(view, ({ capacity }) => ({ capacity: Math.min(capacity, copy.values.max) }));
    },
  }),
  mutant("a snapshot does not show the copy", "R36", {
    inspect: ({ stored: _, ...snapshot }) => ({
      ...snapshot,
      members: snapshot.members.map((member) => ({ ...member, max: member.max ?? snapshot.capacity })),
    }),
  }),
  mutant("a repair forgets the copy", "R36", {
    repair: ({ table, request }, proceed) => {
      const report = proceed();
      if (!request.reset)
        patchGroup(table, ({ stored }) => ({ stored: stored && { ...stored, revision: stored.revision + 1 } }));
      return report;
    },
  }),
];
