import { type CoordinationStore, DtError, isDtError } from "@dt/core";
import { altered, never } from "./altered.ts";
import { type Mutant, mutant } from "./flaw.ts";

/** R16, R17: how calls end, and what they cost. */
export const callMutants: readonly Mutant[] = [
  mutant("an aborted signal is ignored", "R16", {
    wrap: (store) =>
      altered(store, {
        register: (group, registration) => store.register(group, registration),
        sync: (group, member, report) => store.sync(group, member, report),
        deregister: (group, member, farewell) => store.deregister(group, member, farewell),
        inspect: (group) => store.inspect(group),
      }),
  }),
  mutant("a sync never settles", "R16", { wrap: (store) => altered(store, { sync: never }) }),
  mutant("calls have no deadline of their own: they wait until the server is back", "R16", {
    wrap: (store, server) =>
      altered(store, {
        sync: async (...args) => {
          await server.reach(0).catch(() => {});
          return store.sync(...args);
        },
      }),
  }),
  mutant("a call that timed out is said to have had no effect, whether it had or not", "R16", {
    wrap: (store) =>
      altered(store, {
        register: (...args) =>
          store.register(...args).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_TIMEOUT"))
              throw new DtError(error.code, error.message, { effect: "definite" });
            throw error;
          }),
      }),
  }),
  mutant("failures are the driver's own errors", "R16", {
    wrap: (store) =>
      altered(store, {
        inspect: (...args) =>
          store.inspect(...args).catch((error: unknown) => {
            throw new Error("ECONNRESET", { cause: error });
          }),
      }),
  }),
  mutant("failures are thrown instead of rejected", "R16", {
    wrap: (store) =>
      altered(store, {
        inspect: (group, signal) => {
          if (!group) throw new DtError("DT_INVALID_OPTION", "no group");
          return store.inspect(group, signal);
        },
      }),
  }),
  mutant("a closed store goes on working", "R16", { wrap: (store) => altered(store, { close: async () => {} }) }),
  mutant("closing twice is an error", "R16", {
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
  }),
  mutant("calls in flight never settle when the store is closed", "R16", {
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
  }),
  mutant("a new store takes back what an older client of the process left", "R16", {
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
  }),
  mutant("numbers that callers hand in are not checked", "R7", { unchecked: "numbers" }),
  mutant("the store says that it pushes, and never does", "R16", {
    wrap: (store) => altered(store, { watch: async () => () => {} }),
  }),
  mutant("a watcher that stopped is told all the same", "R16", {
    wrap: (store) =>
      altered(store, {
        watch: async (...args) => {
          await store.watch(...args);
          return () => {};
        },
      }),
  }),
  mutant("the store has another capability than it declares", "R16", {
    wrap: (store) => altered(store, { capabilities: { ...store.capabilities, losesData: false } }),
  }),
  mutant("a sync takes two round trips", "R17", { trips: 2 }),
];
