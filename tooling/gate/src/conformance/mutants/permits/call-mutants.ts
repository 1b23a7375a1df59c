import { DtError, isDtError } from "@dt/core";
import { altered, never } from "../altered.ts";
import type { Mutant } from "../flaw.ts";

const bytes = new TextEncoder();

/** P1, P9: at the same time, apart, in time. */
export const permitCallMutants: readonly Mutant[] = [
  {
    name: "reservations read, work it out and write back while others do the same",
    rule: "P1",
    flaw: { permits: { torn: true } },
  },
  {
    name: "a reservation that comes while others are under way is answered from before them, now and then",
    rule: "P1",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          const last = [...table.entries.values()].at(-1);
          const atOnce = last && nowMs - last.earliestMs < 0.4 && last.granted === 1 && !table.entries.has(request.id);
          const answer = proceed();
          if (!atOnce || answer.granted !== 1) return answer;
          return { ...answer, firstMs: last.firstMs, earliestMs: last.earliestMs };
        },
      },
    },
  },
  { name: "all keys are one", rule: "P9", flaw: { permits: { key: () => "" } } },
  { name: "keys are folded to lower case", rule: "P9", flaw: { permits: { key: (key) => key.toLowerCase() } } },
  {
    name: "keys end at the first colon",
    rule: "P9",
    flaw: { permits: { key: (key) => key.split(":", 1)[0] as string } },
  },
  {
    name: "keys are cut after 1,000 bytes",
    rule: "P9",
    flaw: { permits: { key: (key) => bytes.encode(key).slice(0, 1_000).join() } },
  },
  {
    name: "ids are cut after 255 characters",
    rule: "P9",
    flaw: {
      permits: { reserve: ({ request }, proceed) => proceed({ ...request, id: request.id.slice(0, 255) }) },
    },
  },
  { name: "requests for permits are not checked", rule: "P9", flaw: { permits: { unchecked: "everything" } } },
  {
    name: "an aborted signal of a permit call is ignored",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          reserve: (key, request) => store.reserve(key, request),
          release: (key, release) => store.release(key, release),
        }),
    },
  },
  {
    name: "a reservation with an aborted signal is refused, and made all the same",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          reserve: async (key, request, signal) => {
            if (signal?.aborted) await store.reserve(key, request);
            return store.reserve(key, request, signal);
          },
        }),
    },
  },
  { name: "a reservation never settles", rule: "P9", flaw: { wrap: (store) => altered(store, { reserve: never }) } },
  {
    name: "a reservation whose answer was lost is sent again under another id",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          reserve: (key, request, signal) =>
            store.reserve(key, request, signal).catch((error: unknown) => {
              if (isDtError(error, "DT_STORE_TIMEOUT"))
                void store.reserve(key, { ...request, id: `${request.id}-2` }).catch(() => {});
              throw error;
            }),
        }),
    },
  },
  {
    name: "a reservation that timed out is said to have had no effect, whether it had or not",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          reserve: (...args) =>
            store.reserve(...args).catch((error: unknown) => {
              if (isDtError(error, "DT_STORE_TIMEOUT"))
                throw new DtError(error.code, error.message, { effect: "definite" });
              throw error;
            }),
        }),
    },
  },
  {
    name: "malformed requests for permits are thrown instead of rejected",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          release: (key, release, signal) => {
            if (!key) throw new DtError("DT_INVALID_OPTION", "no key");
            return store.release(key, release, signal);
          },
        }),
    },
  },
  {
    name: "closing a store gives back what it reserved",
    rule: "P9",
    flaw: {
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
    },
  },
  {
    name: "who watches a key is never told",
    rule: "P9",
    flaw: { wrap: (store) => altered(store, { watchPermits: async () => () => {} }) },
  },
  {
    name: "who stopped watching a key is told all the same",
    rule: "P9",
    flaw: {
      wrap: (store) =>
        altered(store, {
          watchPermits: async (...args) => {
            await store.watchPermits(...args);
            return () => {};
          },
        }),
    },
  },
];
