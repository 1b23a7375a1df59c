import { isDtError, type MemberRef } from "@dt/core";
import { checkMember } from "@dt/core/ledger";
import { altered, never } from "./altered.ts";
import { type Mutant, mutant } from "./flaw.ts";
import { passes } from "./without-checks.ts";

/** R16, R17: how calls end, and what they cost. */
export const callMutants: readonly Mutant[] = [
  mutant("a sync never settles", "R16", { wrap: (store) => altered(store, { sync: never }) }),
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
  mutant("numbers that callers hand in are not checked", "R7", {
    unchecked: ({ given: [group, ref] }) => passes(() => checkMember(group as string, ref as MemberRef)),
  }),
  mutant("the store claims to send hints, and never does", "R16", {
    wrap: (store) => altered(store, { onHint: async () => () => {} }),
  }),
  mutant("the store has another capability than it declares", "R16", {
    wrap: (store) => altered(store, { capabilities: { ...store.capabilities, losesData: false } }),
  }),
  mutant("a sync takes two round trips", "R17", { trips: 2 }),
];
