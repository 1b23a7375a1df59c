import { fairOf } from "./fair.ts";
import { type Mutant, mutant } from "./flaw.ts";
import { patchGroup, patchView, setHeld } from "./rows.ts";

/** R7, R8: who holds what. */
export const shareMutants: readonly Mutant[] = [
  mutant("a raise is answered before it is on the disk", "R7", {
    transactions: { writesBehind: true },
    capabilities: { losesData: false },
  }),
  mutant("a raise is answered but not recorded", "R7", {
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
  }),
  mutant("a raise is recorded for the member but not in the sum", "R7", {
    sync: ({ table, ref }, proceed) => {
      const before = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      const raised = Math.max(0, (table.member(ref.incarnation)?.held ?? 0) - before);
      patchGroup(table, (row) => ({ held: row.held - raised }));
      return view;
    },
  }),
  mutant("a raise gives more than is free", "R7", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      const fair = fairOf(table);
      return patchView(view, ({ held }) => {
        if (held >= fair) return {};
        setHeld(table, ref.incarnation, fair);
        return { held: fair };
      });
    },
  }),
  mutant("a raise gives more than the fair share", "R7", {
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
  }),
  mutant("nobody is raised before everybody agrees", "R7", {
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
  }),
  mutant("a report raises what its member holds", "R7", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      return patchView(view, ({ held, status }) => {
        if (status === "agree" || request.held <= held) return {};
        setHeld(table, ref.incarnation, request.held);
        return { held: request.held };
      });
    },
  }),
  mutant("a report lowers nothing", "R7", {
    sync: ({ request }, proceed) => proceed({ ...request, held: Number.MAX_SAFE_INTEGER }),
  }),
  mutant("claims are ignored", "R7", { register: ({ request }, proceed) => proceed({ ...request, claim: 0 }) }),
  mutant("claims are capped at what is free", "R7", {
    register: ({ table, request }, proceed) => {
      const row = table.group();
      const free = row ? Math.max(0, row.capacity - row.held) : request.max;
      return proceed({ ...request, claim: Math.min(request.claim, free) });
    },
  }),
  mutant("claims are capped at the member's own max", "R7", {
    register: ({ request }, proceed) => proceed({ ...request, claim: Math.min(request.claim, request.max) }),
  }),
  mutant("claims are not added to what is held", "R7", {
    register: ({ table, request }, proceed) => {
      const view = proceed();
      patchGroup(table, (row) => ({ held: row.held - request.claim }));
      return view;
    },
  }),
  mutant("a lower capacity takes away what members hold", "R7", {
    sync: ({ table, ref }, proceed) => {
      const before = table.group()?.capacity ?? 0;
      const view = proceed();
      if ((table.group()?.capacity ?? 0) >= before) return view;
      for (const member of table.members()) setHeld(table, member.incarnation, 0);
      return patchView(view, () => ({ held: table.member(ref.incarnation)?.held ?? 0 }));
    },
  }),
  mutant("the learning period is ignored", "R8", {
    register: ({ request }, proceed) => proceed({ ...request, learningMs: 0 }),
  }),
  mutant("only the first member's learning period counts", "R8", {
    register: ({ table, request }, proceed) =>
      proceed({ ...request, learningMs: table.group() ? 0 : request.learningMs }),
  }),
  mutant("each member's learning period begins when it joins", "R8", {
    register: ({ table, request }, proceed) => {
      const row = table.group();
      return proceed({
        ...request,
        learningMs:
          request.learningMs === 0 || !row ? request.learningMs : row.lastMs - row.createdAtMs + request.learningMs,
      });
    },
  }),
  mutant("a learning group raises nobody, but agrees", "R8", {
    sync: (_, proceed) => {
      const view = proceed();
      return patchView(view, ({ learning, poolSize }) =>
        learning ? { status: "agree", reportedPoolSize: poolSize } : {},
      );
    },
  }),
];
