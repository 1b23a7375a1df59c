import type { CoordinationStore, Farewell, Report, View } from "@dt/core";
import { firstSafeEpoch } from "@dt/core/ledger";

/** Which version half of the processes of a world are of. */
export type VersionBefore = "before R20" | "before R21";

/**
 * A store as a process of a version before R20 uses it: it tells nobody what it used, and every raise starts in the
 * first epoch that begins later than the answer.
 */
export function beforeR20(store: CoordinationStore): CoordinationStore {
  let intervalMs = 1;
  const later = (view: View): View =>
    "generation" in view
      ? { ...view, early: 0, fromEpoch: firstSafeEpoch(view.storeTimeMs, view.clockErrorMs, intervalMs) }
      : view;
  return {
    capabilities: store.capabilities,
    register: (group, registration, signal) => {
      intervalMs = registration.intervalMs;
      return store.register(group, registration, signal).then(later);
    },
    sync: (group, member, report, signal) => store.sync(group, member, silent(report), signal).then(later),
    deregister: (group, member, farewell, signal) => store.deregister(group, member, silent(farewell), signal),
    inspect: (group, signal) => store.inspect(group, signal),
    close: () => store.close(),
  };
}

function silent<Said extends Report | Farewell>({ use: _, ...said }: Said): Omit<Said, "use"> {
  return said;
}

/** A value as such a process writes it: with the parts that it knows, so without what was freed and what is wanted. */
export function withoutFreed(value: string): string {
  const { freed: _, ...known } = JSON.parse(value) as Readonly<Record<string, unknown>>;
  return withoutDemand(JSON.stringify(known));
}

/** A value as a process of a version before R21 writes it: with the parts that it knows, so without what is wanted. */
export function withoutDemand(value: string): string {
  const { wants: _wants, demand: _demand, ...known } = JSON.parse(value) as Readonly<Record<string, unknown>>;
  return withoutActivity(JSON.stringify(known));
}

/** A value as a process of a version before R27 writes it: without what members do. */
export function withoutActivity(value: string): string {
  const { activity: _, ...known } = JSON.parse(value) as Readonly<Record<string, unknown>>;
  return JSON.stringify(known);
}
