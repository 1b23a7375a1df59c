import type { MemberView, View } from "@dt/core";
import { isMember } from "@dt-tooling/simulator/requests";
import type { Flaw, Operation } from "./flaw.ts";

type Change = (view: MemberView, operation: Operation<{ readonly observedMs?: number }>) => Partial<MemberView>;

/** Every answer to a member is changed, and the rows are as they should be. */
export function answering(change: Change): Flaw {
  return {
    register: (operation, proceed) => changed(proceed(), (view) => change(view, operation)),
    sync: (operation, proceed) => changed(proceed(), (view) => change(view, operation)),
  };
}

export function changed(view: View, change: (view: MemberView) => Partial<MemberView>): View {
  return isMember(view) ? { ...view, ...change(view) } : view;
}
