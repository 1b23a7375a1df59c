import type { GroupRow } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { altered } from "./altered.ts";
import { type Mutant, mutant } from "./flaw.ts";
import { patchGroup, patchView } from "./rows.ts";

/** What is left of a pause is not said. */
const UNSAID = { pausedForMs: 0 };

/** R35: the pause of a whole group. */
export const groupPauseMutants: readonly Mutant[] = [
  mutant("a pause is answered to the member alone that asked for it", "R35", {
    sync: ({ request }, proceed) => (request.pauseMs ? proceed() : patchView(proceed(), () => UNSAID)),
  }),
  mutant("a newcomer is not answered that there is a pause", "R35", {
    register: (_, proceed) => patchView(proceed(), () => UNSAID),
  }),
  mutant("a snapshot does not show the pause", "R35", { inspect: (snapshot) => ({ ...snapshot, ...UNSAID }) }),
  mutant("a shorter pause takes the place of a longer one", "R35", {
    sync: ({ table, request: { pauseMs } }, proceed) => {
      const view = proceed();
      if (!pauseMs || !isMember(view)) return view;
      patchGroup(table, ({ lastMs }) => ({ pausedUntilMs: lastMs + Math.min(pauseMs, 86_400_000) }));
      return patchView(view, () => ({ pausedForMs: Math.min(pauseMs, 86_400_000) }));
    },
  }),
  mutant("a pause begins anew with every report", "R35", {
    sync: ({ table }, proceed) => {
      const before = table.group();
      const leftMs = before ? before.pausedUntilMs - before.lastMs : 0;
      const view = proceed();
      const row = table.group() as GroupRow;
      if (leftMs <= 0 || !isMember(view) || row.pausedUntilMs > row.lastMs + leftMs) return view;
      patchGroup(table, ({ lastMs }) => ({ pausedUntilMs: lastMs + leftMs }));
      return patchView(view, () => ({ pausedForMs: leftMs }));
    },
  }),
  mutant("a pause may be longer than a day", "R35", {
    sync: ({ table, request: { pauseMs = 0 } }, proceed) => {
      const view = proceed();
      if (pauseMs <= 86_400_000 || !isMember(view)) return view;
      patchGroup(table, ({ lastMs }) => ({ pausedUntilMs: lastMs + pauseMs }));
      return patchView(view, () => ({ pausedForMs: pauseMs }));
    },
  }),
  mutant("a report that comes again asks for a pause on top", "R35", {
    sync: ({ table, ref, request: { seq, pauseMs = 0 } }, proceed) => {
      const isRepeat = seq <= (table.member(ref.incarnation)?.seq ?? 0);
      const view = proceed();
      if (!isRepeat || pauseMs === 0 || !isMember(view)) return view;
      patchGroup(table, ({ pausedUntilMs }) => ({ pausedUntilMs: pausedUntilMs + pauseMs }));
      return patchView(view, ({ pausedForMs = 0 }) => ({ pausedForMs: pausedForMs + pauseMs }));
    },
  }),
  mutant("a pause goes with the member that leaves", "R35", {
    deregister: ({ table }, proceed) => {
      proceed();
      patchGroup(table, () => ({ pausedUntilMs: 0 }));
    },
  }),
  mutant("a stranger pauses the group", "R35", {
    sync: ({ table, request: { pauseMs = 0 } }, proceed) => {
      const view = proceed();
      if (!isMember(view)) patchGroup(table, ({ lastMs }) => ({ pausedUntilMs: lastMs + pauseMs }));
      return view;
    },
  }),
  mutant("a paused group never agrees", "R35", {
    sync: (_, proceed) =>
      patchView(proceed(), ({ status, pausedForMs }) => ({
        status: pausedForMs === 0 || pausedForMs === undefined ? status : "disagree",
      })),
  }),
  mutant("a reset keeps the pause", "R35", {
    repair: ({ table, request }, proceed) => {
      const pausedUntilMs = table.group()?.pausedUntilMs ?? 0;
      const report = proceed();
      if (request.reset) patchGroup(table, () => ({ pausedUntilMs }));
      return report;
    },
  }),
  mutant("no listener is called about a pause", "R35", {
    wrap: (store) =>
      altered(store, {
        onHint: (group, listener, signal) =>
          store.onHint(group, (about) => void (about === undefined && listener()), signal),
      }),
  }),
  mutant("every hint is said to be about a pause", "R35", {
    wrap: (store) =>
      altered(store, {
        onHint: (group, listener, signal) => store.onHint(group, () => listener("pause"), signal),
      }),
  }),
];
