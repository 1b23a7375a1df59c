import { DtError } from "@dt/core";
import { altered, never } from "../altered.ts";
import { type Mutant, mutant, permitMutant } from "../flaw.ts";

/** P1, P9: at the same time, apart, in time. */
export const permitCallMutants: readonly Mutant[] = [
  permitMutant("reservations read, work it out and write back while others do the same", "P1", { torn: true }),
  permitMutant("a reservation that comes while others are under way is answered from before them, now and then", "P1", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const last = [...table.entries.values()].at(-1);
      const atOnce = last && nowMs - last.earliestMs < 0.4 && last.granted === 1 && !table.entries.has(request.id);
      const answer = proceed();
      if (!atOnce || answer.granted !== 1) return answer;
      return { ...answer, firstMs: last.firstMs, earliestMs: last.earliestMs };
    },
  }),
  permitMutant("all keys are one", "P9", { key: () => "" }),
  permitMutant("requests for permits are not checked", "P9", {
    unchecked: ({ method }) => method === "reserve" || method === "release",
  }),
  mutant("a reservation never settles", "P9", { wrap: (store) => altered(store, { reserve: never }) }),
  mutant("malformed requests for permits are thrown instead of rejected", "P9", {
    wrap: (store) =>
      altered(store, {
        release: (key, release, signal) => {
          if (!key) throw new DtError("DT_INVALID_OPTION", "no key");
          return store.release(key, release, signal);
        },
      }),
  }),
  mutant("a listener of a key is never called", "P9", {
    wrap: (store) => altered(store, { onPermitHint: async () => () => {} }),
  }),
];
