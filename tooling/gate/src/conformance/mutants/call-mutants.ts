import { type CoordinationStore, DtError, isDtError } from "@dt/core";
import { altered, never } from "./altered.ts";
import type { Mutant } from "./flaw.ts";

/** R16, R17: how calls end, and what they cost. */
export const callMutants: readonly Mutant[] = [
  {
    name: "an aborted signal is ignored",
    rule: "R16",
    flaw: {
      wrap: (store) =>
        altered(store, {
          register: (group, registration) => store.register(group, registration),
          sync: (group, member, report) => store.sync(group, member, report),
          deregister: (group, member, farewell) => store.deregister(group, member, farewell),
          inspect: (group) => store.inspect(group),
        }),
    },
  },
  { name: "a sync never settles", rule: "R16", flaw: { wrap: (store) => altered(store, { sync: never }) } },
  {
    name: "calls have no deadline of their own: they wait until the server is back",
    rule: "R16",
    flaw: {
      wrap: (store, server) =>
        altered(store, {
          sync: async (...args) => {
            await server.reach(0).catch(() => {});
            return store.sync(...args);
          },
        }),
    },
  },
  {
    name: "a call that timed out is said to have had no effect, whether it had or not",
    rule: "R16",
    flaw: {
      wrap: (store) =>
        altered(store, {
          register: (...args) =>
            store.register(...args).catch((error: unknown) => {
              if (isDtError(error, "DT_STORE_TIMEOUT"))
                throw new DtError(error.code, error.message, { effect: "definite" });
              throw error;
            }),
        }),
    },
  },
  {
    name: "failures are the driver's own errors",
    rule: "R16",
    flaw: {
      wrap: (store) =>
        altered(store, {
          inspect: (...args) =>
            store.inspect(...args).catch((error: unknown) => {
              throw new Error("ECONNRESET", { cause: error });
            }),
        }),
    },
  },
  {
    name: "failures are thrown instead of rejected",
    rule: "R16",
    flaw: {
      wrap: (store) =>
        altered(store, {
          inspect: (group, signal) => {
            if (!group) throw new DtError("DT_INVALID_OPTION", "no group");
            return store.inspect(group, signal);
          },
        }),
    },
  },
  {
    name: "a closed store goes on working",
    rule: "R16",
    flaw: { wrap: (store) => altered(store, { close: async () => {} }) },
  },
  {
    name: "closing twice is an error",
    rule: "R16",
    flaw: {
      wrap: (store) => {
        let closed = false;
        return altered(store, {
          close: async () => {
            if (closed) throw new DtError("DT_STORE_CLOSED", "closed already");
            closed = true;
            await store.close();
          },
        });
      },
    },
  },
  {
    name: "calls in flight never settle when the store is closed",
    rule: "R16",
    flaw: {
      wrap: (store) => {
        let closed = false;
        return altered(store, {
          register: (...args) =>
            store
              .register(...args)
              .catch((error: unknown) =>
                closed && isDtError(error, "DT_STORE_CLOSED") && error.effect === "unknown"
                  ? never()
                  : Promise.reject(error),
              ),
          close: () => {
            closed = true;
            return store.close();
          },
        });
      },
    },
  },
  {
    name: "a new store takes back what an older client of the process left",
    rule: "R16",
    flaw: {
      wrap: (store) => {
        const mine: Parameters<CoordinationStore["deregister"]>[] = [];
        return altered(store, {
          register: (group, registration, signal) => {
            mine.push([group, registration, { seq: Number.MAX_SAFE_INTEGER, level: null }]);
            return store.register(group, registration, signal);
          },
          close: async () => {
            for (const farewell of mine.splice(0)) await store.deregister(...farewell).catch(() => {});
            await store.close();
          },
        });
      },
    },
  },
  {
    name: "numbers that callers hand in are not checked",
    rule: "R7",
    flaw: { unchecked: "numbers" },
  },
  {
    name: "the store says that it pushes, and never does",
    rule: "R16",
    flaw: { wrap: (store) => altered(store, { watch: async () => () => {} }) },
  },
  {
    name: "a watcher that stopped is told all the same",
    rule: "R16",
    flaw: {
      wrap: (store) =>
        altered(store, {
          watch: async (...args) => {
            await store.watch(...args);
            return () => {};
          },
        }),
    },
  },
  {
    name: "the store has another capability than it declares",
    rule: "R16",
    flaw: { wrap: (store) => altered(store, { capabilities: { ...store.capabilities, losesData: false } }) },
  },
  { name: "a sync takes two round trips", rule: "R17", flaw: { trips: 2 } },
];
