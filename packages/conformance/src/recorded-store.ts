import { type AnyStore, type StoreCall, wrapStore } from "@dt/core/store";
import { BucketChecks } from "./buckets/bucket-checks.ts";
import { BudgetChecks } from "./budgets/budget-checks.ts";
import { GroupChecks } from "./group-checks.ts";
import { PermitChecks } from "./permits/permit-checks.ts";
import { type Recorder, recordCall } from "./record-call.ts";
import { saidToJoin, saidToLeave, saidToStay } from "./use/said.ts";

/** The store with every call and answer written down, and checked for what must be true of every answer. */
export function recordStore(store: AnyStore, number: number, recorder: Recorder): AnyStore {
  const groups = new GroupChecks(store.capabilities, recorder);
  const permits = new PermitChecks(recorder);
  const budgets = new BudgetChecks(recorder);
  const buckets = new BucketChecks(recorder);
  const recorded = wrapStore(store, (call, run) => {
    const entry = { store: number, call: call.method, subject: subjectOf(call), args: argumentsOf(call) };
    const record = (): Promise<never> => recordCall(recorder, entry, run as () => Promise<never>);
    switch (call.method) {
      case "register":
        return groups.answered("register", call.given[0], saidToJoin(call.given[1]), record);
      case "sync":
        return groups.answered("sync", call.given[0], saidToStay(call.given[1], call.given[2]), record);
      case "deregister":
        return groups.left(call.given[0], saidToLeave(call.given[1], call.given[2]), record);
      case "inspect":
        return groups.inspected(call.given[0], record);
      case "reserve":
        return permits.reserved(call.given[0], call.given[1], record);
      case "release":
        permits.released(call.given[0], call.given[1]);
        return record();
      case "resetPermits":
        permits.reset(call.given[0]);
        return record();
      case "spend":
        return budgets.spent(call.given[0], call.given[1], record);
      case "resetBudget":
        budgets.reset(call.given[0]);
        return record();
      case "take":
        return buckets.taken(call.given[0], record);
      default:
        return record();
    }
  });
  const listen = recorded.onSlotHint;
  if (listen)
    recorded.onSlotHint = (group, member, listener, signal) => {
      const heard: typeof listener = (hint) => {
        groups.hinted(group, member, hint, number);
        listener(hint);
      };
      return listen(group, member, heard, signal);
    };
  return recorded;
}

const LISTS: ReadonlySet<StoreCall["method"]> = new Set(["list", "listPermits", "listBudgets", "listBuckets"]);

/** The group, the key, the budget, the bucket, or what has the limit. Of several buckets the first. */
function subjectOf({ method, given: [given] }: StoreCall): string {
  const subject: unknown = Array.isArray(given) ? given[0] : given;
  if (subject instanceof Object && "kind" in subject) return Object.values(subject).join(" ");
  if (subject instanceof Object && "key" in subject && "name" in subject) return `${subject.name}/${subject.key}`;
  return typeof subject !== "string" || LISTS.has(method) ? "" : subject;
}

/** What a call says besides, as one object; undefined where it says nothing. */
function argumentsOf(call: StoreCall): object | undefined {
  if (LISTS.has(call.method)) return { cursor: call.given[0] };
  if (call.method === "take") return { requests: call.given[0] };
  const said = call.given
    .slice(1)
    .filter((argument) => typeof argument === "object" && argument !== null && !(argument instanceof AbortSignal));
  return said.length === 0 ? undefined : Object.assign({}, ...said);
}
