import type { PermitSnapshot } from "@dt/core";
import { isDtError } from "@dt/core";
import { altered } from "../altered.ts";
import { type Mutant, mutant, permitMutant } from "../flaw.ts";
import type { PermitFlaw } from "../permit-flaw.ts";

/** P13, P14: what a key holds, and which keys there are. */
export const inspectionMutants: readonly Mutant[] = [
  permitMutant("instants are not counted that were given back", "P13", { inspect: telling(() => ({ freed: 0 })) }),
  permitMutant("terms are shown that bind no more", "P13", {
    inspect: ({ table }, proceed) => {
      const answer = proceed();
      return answer && { ...answer, ...(table.key?.terms && { terms: table.key.terms }) };
    },
  }),
  permitMutant("a key is shown for ever", "P13", {
    inspect: ({ table, nowMs }, proceed) => {
      const { tatMs } = table.key ?? {};
      if (tatMs === undefined) return undefined;
      return proceed() ?? { key: "any", reservedUntilMs: tatMs, known: 0, freed: 0, waiting: 0, storeTimeMs: nowMs };
    },
  }),
  permitMutant("an inspection of a key shows one whose name is the same but for a space", "P13", {
    key: (key) => key.trim(),
  }),
  mutant("a key whose data is damaged is reported as not there", "P13", {
    wrap: (store) =>
      altered(store, {
        inspectPermits: (...args) =>
          store.inspectPermits(...args).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_DATA")) return undefined;
            throw error;
          }),
      }),
  }),
  mutant("the aborted signal of an inspection of permits is ignored", "P13", {
    wrap: (store) => altered(store, { inspectPermits: (key) => store.inspectPermits(key) }),
  }),
  mutant("a list of keys ends after its first page", "P14", {
    wrap: (store) =>
      altered(store, { listPermits: async (...args) => ({ keys: (await store.listPermits(...args)).keys }) }),
  }),
  mutant("a list of keys has the groups too", "P14", {
    wrap: (store, server) =>
      altered(store, {
        listPermits: async (...args) => {
          const page = await store.listPermits(...args);
          return page.next === undefined ? { keys: [...page.keys, ...server.groups()] } : page;
        },
      }),
  }),
  mutant("a cursor of keys that no page gave begins the list anew", "P14", {
    wrap: (store) =>
      altered(store, {
        listPermits: (cursor, signal) =>
          store.listPermits(cursor, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_INVALID_OPTION")) return store.listPermits(undefined, signal);
            throw error;
          }),
      }),
  }),
  mutant("the aborted signal of a list of keys is ignored", "P14", {
    wrap: (store) => altered(store, { listPermits: (cursor) => store.listPermits(cursor) }),
  }),
];

/** Tells what it should, but for some of it; or something else altogether. */
function telling(
  change: (snapshot: PermitSnapshot) => Partial<PermitSnapshot>,
  instead = false,
): NonNullable<PermitFlaw["inspect"]> {
  return (_, proceed) => {
    const snapshot = proceed();
    if (!snapshot) return undefined;
    return instead ? (change(snapshot) as PermitSnapshot) : { ...snapshot, ...change(snapshot) };
  };
}
