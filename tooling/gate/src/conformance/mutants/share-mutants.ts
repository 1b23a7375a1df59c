import { fairOf } from "./fair.ts";
import type { Mutant } from "./flaw.ts";
import { patchGroup, patchView, setHeld } from "./rows.ts";

/** R7, R8: who holds what. */
export const shareMutants: readonly Mutant[] = [
  {
    name: "a raise is answered before it is on the disk",
    rule: "R7",
    flaw: { transactions: { writesBehind: true }, capabilities: { losesData: false } },
  },
  {
    name: "a raise is answered but not recorded",
    rule: "R7",
    flaw: {
      sync: ({ table, ref, request }, proceed) => {
        const before = table.member(ref.incarnation)?.held ?? 0;
        const view = proceed();
        setHeld(
          table,
          ref.incarnation,
          Math.min(table.member(ref.incarnation)?.held ?? 0, before, Math.max(request.held, 0)),
        );
        return view;
      },
    },
  },
  {
    name: "a raise is recorded for the member but not in the sum",
    rule: "R7",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        const before = table.member(ref.incarnation)?.held ?? 0;
        const view = proceed();
        const raised = Math.max(0, (table.member(ref.incarnation)?.held ?? 0) - before);
        patchGroup(table, (row) => ({ held: row.held - raised }));
        return view;
      },
    },
  },
  {
    name: "a raise gives more than is free",
    rule: "R7",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        const view = proceed();
        const fair = fairOf(table);
        return patchView(view, ({ held }) => {
          if (held >= fair) return {};
          setHeld(table, ref.incarnation, fair);
          return { held: fair };
        });
      },
    },
  },
  {
    name: "a raise gives more than the fair share",
    rule: "R7",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        const view = proceed();
        return patchView(view, ({ held, status, learning }) => {
          const row = table.group();
          if (!row || status === "agree" || learning || row.held >= row.capacity) return {};
          const raised = held + row.capacity - row.held;
          setHeld(table, ref.incarnation, raised);
          return { held: raised };
        });
      },
    },
  },
  {
    name: "nobody is raised before everybody agrees",
    rule: "R7",
    flaw: {
      register: ({ table, ref, request }, proceed) => {
        const view = proceed();
        return patchView(view, ({ status, held }) => {
          if (status === "agree" || held <= request.claim) return {};
          setHeld(table, ref.incarnation, request.claim);
          return { held: request.claim };
        });
      },
      sync: ({ table, ref, request }, proceed) => {
        const before = table.member(ref.incarnation)?.held ?? 0;
        const view = proceed();
        return patchView(view, ({ status, held }) => {
          if (status === "agree" || held <= before) return {};
          const kept = Math.min(before, request.held);
          setHeld(table, ref.incarnation, kept);
          return { held: kept };
        });
      },
    },
  },
  {
    name: "a report raises what its member holds",
    rule: "R7",
    flaw: {
      sync: ({ table, ref, request }, proceed) => {
        const view = proceed();
        return patchView(view, ({ held, status }) => {
          if (status === "agree" || request.held <= held) return {};
          setHeld(table, ref.incarnation, request.held);
          return { held: request.held };
        });
      },
    },
  },
  {
    name: "a report lowers nothing",
    rule: "R7",
    flaw: { sync: ({ request }, proceed) => proceed({ ...request, held: Number.MAX_SAFE_INTEGER }) },
  },
  {
    name: "claims are ignored",
    rule: "R7",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, claim: 0 }) },
  },
  {
    name: "claims are capped at what is free",
    rule: "R7",
    flaw: {
      register: ({ table, request }, proceed) => {
        const row = table.group();
        const free = row ? Math.max(0, row.capacity - row.held) : request.max;
        return proceed({ ...request, claim: Math.min(request.claim, free) });
      },
    },
  },
  {
    name: "claims are capped at the member's own max",
    rule: "R7",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, claim: Math.min(request.claim, request.max) }) },
  },
  {
    name: "claims are not added to what is held",
    rule: "R7",
    flaw: {
      register: ({ table, request }, proceed) => {
        const view = proceed();
        patchGroup(table, (row) => ({ held: row.held - request.claim }));
        return view;
      },
    },
  },
  {
    name: "a lower capacity takes away what members hold",
    rule: "R7",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        const before = table.group()?.capacity ?? 0;
        const view = proceed();
        if ((table.group()?.capacity ?? 0) >= before) return view;
        for (const member of table.members()) setHeld(table, member.incarnation, 0);
        return patchView(view, () => ({ held: table.member(ref.incarnation)?.held ?? 0 }));
      },
    },
  },
  {
    name: "the learning period is ignored",
    rule: "R8",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, learningMs: 0 }) },
  },
  {
    name: "only the first member's learning period counts",
    rule: "R8",
    flaw: {
      register: ({ table, request }, proceed) =>
        proceed({ ...request, learningMs: table.group() ? 0 : request.learningMs }),
    },
  },
  {
    name: "each member's learning period begins when it joins",
    rule: "R8",
    flaw: {
      register: ({ table, request }, proceed) => {
        const row = table.group();
        return proceed({
          ...request,
          learningMs:
            request.learningMs === 0 || !row ? request.learningMs : row.lastMs - row.createdAtMs + request.learningMs,
        });
      },
    },
  },
  {
    name: "a learning group raises nobody, but agrees",
    rule: "R8",
    flaw: {
      sync: (_, proceed) => {
        const view = proceed();
        return patchView(view, ({ learning, poolSize }) =>
          learning ? { status: "agree", reportedPoolSize: poolSize } : {},
        );
      },
    },
  },
];
