import { DtError, isDtError } from "@dt/core";
import { altered, never } from "../altered.ts";
import { type Mutant, mutant, permitMutant } from "../flaw.ts";

const bytes = new TextEncoder();

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
  permitMutant("keys are folded to lower case", "P9", { key: (key) => key.toLowerCase() }),
  permitMutant("keys end at the first colon", "P9", { key: (key) => key.split(":", 1)[0] as string }),
  permitMutant("keys are cut after 1,000 bytes", "P9", { key: (key) => bytes.encode(key).slice(0, 1_000).join() }),
  permitMutant("ids are cut after 255 characters", "P9", {
    reserve: ({ request }, proceed) => proceed({ ...request, id: request.id.slice(0, 255) }),
  }),
  permitMutant("requests for permits are not checked", "P9", { unchecked: "everything" }),
  mutant("an aborted signal of a permit call is ignored", "P9", {
    wrap: (store) =>
      altered(store, {
        reserve: (key, request) => store.reserve(key, request),
        release: (key, release) => store.release(key, release),
      }),
  }),
  mutant("a reservation with an aborted signal is refused, and made all the same", "P9", {
    wrap: (store) =>
      altered(store, {
        reserve: async (key, request, signal) => {
          if (signal?.aborted) await store.reserve(key, request);
          return store.reserve(key, request, signal);
        },
      }),
  }),
  mutant("a reservation never settles", "P9", { wrap: (store) => altered(store, { reserve: never }) }),
  mutant("a reservation whose answer was lost is sent again under another id", "P9", {
    wrap: (store) =>
      altered(store, {
        reserve: (key, request, signal) =>
          store.reserve(key, request, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_TIMEOUT"))
              void store.reserve(key, { ...request, id: `${request.id}-2` }).catch(() => {});
            throw error;
          }),
      }),
  }),
  mutant("a reservation that timed out is said to have had no effect, whether it had or not", "P9", {
    wrap: (store) =>
      altered(store, {
        reserve: (...args) =>
          store.reserve(...args).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_TIMEOUT"))
              throw new DtError(error.code, error.message, { effect: "definite" });
            throw error;
          }),
      }),
  }),
  mutant("malformed requests for permits are thrown instead of rejected", "P9", {
    wrap: (store) =>
      altered(store, {
        release: (key, release, signal) => {
          if (!key) throw new DtError("DT_INVALID_OPTION", "no key");
          return store.release(key, release, signal);
        },
      }),
  }),
  mutant("closing a store gives back what it reserved", "P9", {
    wrap: (store) => {
      const mine: [string, string][] = [];
      return altered(store, {
        reserve: (key, request, signal) => {
          mine.push([key, request.id]);
          return store.reserve(key, request, signal);
        },
        close: async () => {
          for (const [key, id] of mine.splice(0).reverse()) await store.release(key, { id, keep: 0 }).catch(() => {});
          await store.close();
        },
      });
    },
  }),
  mutant("who watches a key is never told", "P9", {
    wrap: (store) => altered(store, { watchPermits: async () => () => {} }),
  }),
  mutant("who stopped watching a key is told all the same", "P9", {
    wrap: (store) =>
      altered(store, {
        watchPermits: async (...args) => {
          await store.watchPermits(...args);
          return () => {};
        },
      }),
  }),
];
