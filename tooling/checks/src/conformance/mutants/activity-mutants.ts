import { type Mutant, mutant } from "./flaw.ts";
import { patchMember, setHeld } from "./rows.ts";

/** R27: what members say that they do. */
export const activityMutants: readonly Mutant[] = [
  mutant("a use of nothing is not taken for a use", "R27", {
    sync: ({ table, ref, request }, proceed) => {
      const before = table.member(ref.incarnation)?.activity;
      const { activity } = request;
      return proceed(
        activity && before ? { ...request, activity: { ...activity, used: activity.used || before.used } } : undefined,
      );
    },
  }),
  mutant("a late report replaces its member's activity", "R27", {
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
];
