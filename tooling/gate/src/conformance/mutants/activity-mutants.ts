import type { Activity, MemberSnapshot } from "@dt/core";
import { altered } from "./altered.ts";
import { type Flaw, type Mutant, mutant } from "./flaw.ts";
import { patchMember, setHeld } from "./rows.ts";

/** Each member of a snapshot is shown otherwise. */
function showing(
  change: (member: MemberSnapshot, place: number, all: readonly MemberSnapshot[]) => MemberSnapshot,
): Flaw {
  return { inspect: (snapshot) => ({ ...snapshot, members: snapshot.members.map(change) }) };
}

/** The numbers that a store which checks nothing would make of what it is told. */
function made(activity: Activity): Activity {
  const number = (value: unknown): number => Math.min(1e12, Math.max(0, Math.trunc(Number(value)) || 0));
  return { used: number(activity.used), waiting: number(activity.waiting) };
}

/** R27: what members say that they do. */
export const activityMutants: readonly Mutant[] = [
  mutant(
    "what members do is not told",
    "R27",
    showing(({ used: _used, waiting: _waiting, ...rest }) => rest),
  ),
  mutant("a member that has said nothing yet is shown as one that does nothing", "R27", {
    ...showing((member) => ({ used: 0, waiting: 0, ...member })),
  }),
  mutant("used and waiting change places", "R27", {
    sync: ({ request }, proceed) => {
      const { activity } = request;
      return proceed(
        activity ? { ...request, activity: { used: activity.waiting, waiting: activity.used } } : undefined,
      );
    },
  }),
  mutant("a use of nothing is not taken for a use", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const before = table.member(ref.incarnation)?.activity;
      const { activity } = request;
      return proceed(
        activity && before ? { ...request, activity: { ...activity, used: activity.used || before.used } } : undefined,
      );
    },
  }),
  mutant("what a member said stays where its next report says nothing", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const before = table.member(ref.incarnation)?.activity;
      return proceed(!request.activity && before ? { ...request, activity: before } : undefined);
    },
  }),
  mutant("what a member said outlives its registration", "R27", {
    register: ({ table, ref }, proceed) => {
      const before = table.member(ref.incarnation)?.activity ?? null;
      const view = proceed();
      if (table.member(ref.incarnation)) patchMember(table, ref.incarnation, { activity: before });
      return view;
    },
  }),
  mutant("a late report says what its member does", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const { activity } = request;
      if (activity && table.member(ref.incarnation)) patchMember(table, ref.incarnation, { activity });
      return view;
    },
  }),
  mutant("what members do is kept by rank", "R27", {
    deregister: ({ table }, proceed) => {
      const before = table.members();
      proceed();
      for (const { incarnation, rank } of table.members())
        patchMember(table, incarnation, { activity: before[rank]?.activity ?? null });
    },
  }),
  mutant("a member whose callers wait is raised beyond its part", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const member = table.member(ref.incarnation);
      if (member && (request.activity?.waiting ?? 0) > 0) setHeld(table, ref.incarnation, member.held + 1);
      return view;
    },
  }),
  mutant("a member that uses nothing is left a token less", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const member = table.member(ref.incarnation);
      if (member && request.activity?.used === 0) setHeld(table, ref.incarnation, Math.max(0, member.held - 1));
      return view;
    },
  }),
  mutant("an activity that is no two numbers of tokens is made some", "R27", {
    wrap: (store) =>
      altered(store, {
        sync: (group, member, report, signal) => {
          const { activity, ...rest } = report;
          return store.sync(group, member, activity ? { ...rest, activity: made(activity) } : rest, signal);
        },
      }),
  }),
];
