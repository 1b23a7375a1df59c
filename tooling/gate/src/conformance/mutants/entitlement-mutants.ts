import type { MemberView, View } from "@dt/core";
import { firstSafeEpoch } from "@dt/core/ledger";
import { fairOf } from "./fair.ts";
import { type Flaw, type Mutant, mutant, type Operation } from "./flaw.ts";
import { isMemberView } from "./suite-internals.ts";

/** R19: what a member may use, and from when. */
export const entitlementMutants: readonly Mutant[] = [
  mutant(
    "a member is entitled to all that it holds, also where that is more than fair",
    "R19",
    answering(({ held, status }) => (status === "agree" ? {} : { entitled: held })),
  ),
  mutant(
    "a member is entitled to its fair share, also where it does not hold that much",
    "R19",
    answering((_, { table }) => ({ entitled: fairOf(table) })),
  ),
  mutant(
    "on agree a member is entitled to the token of the remainder in every epoch",
    "R19",
    answering(({ held, status }) => (status === "agree" ? { entitled: held } : {})),
  ),
  mutant("what is answered to a registration entitles to nothing", "R19", {
    register: (_, proceed) => changed(proceed(), () => ({ entitled: 0 })),
  }),
  mutant(
    "what is answered may be used in the epoch that has begun",
    "R19",
    starting(({ storeTimeMs }, intervalMs) => firstSafeEpoch(storeTimeMs, 0, intervalMs) - 1),
  ),
  mutant(
    "what is answered may be used in the next epoch, however far clocks may be off",
    "R19",
    starting(({ storeTimeMs }, intervalMs) => firstSafeEpoch(storeTimeMs, 0, intervalMs)),
  ),
  mutant(
    "what is answered may be used when the member's own clock error is over, not the group's",
    "R19",
    starting(({ storeTimeMs }, intervalMs, { table, ref }) =>
      firstSafeEpoch(storeTimeMs, table.member(ref.incarnation)?.clockErrorMs ?? 0, intervalMs),
    ),
  ),
  mutant(
    "the epoch from which it may be used is that of the server's clock, not of the group's time",
    "R19",
    starting(({ clockErrorMs }, intervalMs, { nowMs }) => firstSafeEpoch(nowMs, clockErrorMs, intervalMs)),
  ),
  mutant(
    "the epoch from which it may be used is counted in seconds, whatever the interval",
    "R19",
    starting(({ storeTimeMs, clockErrorMs }) => firstSafeEpoch(storeTimeMs, clockErrorMs, 1_000)),
  ),
  mutant(
    "the epoch from which it may be used is a time in milliseconds",
    "R19",
    starting(({ storeTimeMs, clockErrorMs }) => Math.floor(storeTimeMs + clockErrorMs) + 1),
  ),
];

type Change = (view: MemberView, operation: Operation<unknown>) => Partial<MemberView>;

/** Every answer to a member is changed, and the rows are as they should be. */
function answering(change: Change): Flaw {
  return {
    register: (operation, proceed) => changed(proceed(), (view) => change(view, operation)),
    sync: (operation, proceed) => changed(proceed(), (view) => change(view, operation)),
  };
}

function starting(fromEpoch: (view: MemberView, intervalMs: number, operation: Operation<unknown>) => number): Flaw {
  return answering((view, operation) => ({
    fromEpoch: fromEpoch(view, operation.table.group()?.intervalMs ?? 0, operation),
  }));
}

function changed(view: View, change: (view: MemberView) => Partial<MemberView>): View {
  return isMemberView(view) ? { ...view, ...change(view) } : view;
}
