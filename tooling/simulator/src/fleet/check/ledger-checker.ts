import type { MemberView, View } from "@dt/core";
import { declaredBy, type GroupRow, type MemberRow } from "@dt/core/ledger";
import type { StoreObserver, StoreRequest } from "../world/sim-store.ts";
import type { SimTable } from "../world/sim-table.ts";
import type { Rule } from "./violation.ts";

/**
 * Watches the ledger: after every operation its rows must add up, and no raise may take what is held above the
 * capacity.
 */
export class LedgerChecker implements StoreObserver {
  readonly #report: (rule: Rule, detail: string) => void;
  /** Group time at which the capacity grew last, while somebody stayed. */
  #grewMs = Number.NEGATIVE_INFINITY;
  #before: { readonly group: GroupRow | undefined; readonly held: ReadonlyMap<string, number> } | undefined;

  constructor(report: (rule: Rule, detail: string) => void) {
    this.#report = report;
  }

  beforeOperation(table: SimTable): void {
    this.#before = {
      group: table.group(),
      held: new Map(table.members().map((member) => [member.incarnation, member.held])),
    };
  }

  afterOperation(table: SimTable, request: StoreRequest, result: unknown): void {
    const group = table.group();
    if (!group || !this.#before) return;
    const members = table.members();
    if (members.some((member) => member === undefined)) {
      this.#report("ledger-rows", `${request.label}: a rank has no member`);
      return;
    }
    const sum = members.reduce((total, member) => total + member.held, 0);
    if (sum !== group.held || members.length !== group.memberCount)
      this.#report(
        "ledger-rows",
        `${request.label}: ${members.length} members hold ${sum}, the group row says ${group.memberCount} and ${group.held}`,
      );
    this.#checkWants(request, group, members);
    const { capacity } = declaredBy(members, group);
    if (group.capacity !== capacity)
      this.#report("ledger-rows", `${request.label}: capacity ${group.capacity}, the members make it ${capacity}`);
    const adopted = members.filter((member) => member.generation === group.generation).length;
    if (adopted !== group.adopted)
      this.#report("ledger-rows", `${request.label}: ${adopted} adopted, the group row says ${group.adopted}`);
    if (members.some((member, rank) => member.rank !== rank))
      this.#report("ledger-rows", `${request.label}: ranks have a gap`);
    const { group: before, held } = this.#before;
    if (!before) this.#grewMs = Number.NEGATIVE_INFINITY;
    else if (group.capacity > before.capacity && members.some((member) => held.has(member.incarnation)))
      this.#grewMs = group.lastMs;
    if (before && group.lastMs < before.lastMs)
      this.#report("time-back", `${request.label}: group time ${group.lastMs} after ${before.lastMs}`);
    if (before && group.generation < before.generation)
      this.#report("generation-back", `${request.label}: ${group.generation} after ${before.generation}`);
    const view = result as View | undefined;
    if (view?.status !== "agree" && view?.status !== "disagree") return;
    this.#checkGrowth(request, view, group);
    this.#checkRaise(table, request, view, group);
  }

  /** The counts say what the members' rows say, and nobody agrees beside a member that shares by demand. */
  #checkWants({ label }: StoreRequest, group: GroupRow, members: readonly MemberRow[]): void {
    const wants = members.flatMap(({ want }) => (want === null ? [] : [want]));
    const counted = group.wants.flatMap(([want, count]) => Array.from({ length: count }, () => want));
    if (counted.join() !== wants.sort((a, b) => a - b).join())
      this.#report("ledger-rows", `${label}: members want ${wants.join()}, counted are ${counted.join()}`);
    if (wants.length > 0 && members.length > 0 && group.adopted === group.memberCount)
      this.#report("ledger-rows", `${label}: all have adopted beside a member that shares by demand`);
  }

  /** A larger capacity counts from the next epoch: nobody starts anything in the one in which it grew. */
  #checkGrowth(request: StoreRequest, { early, fromEpoch }: MemberView, { intervalMs }: GroupRow): void {
    if (early > 0 && fromEpoch - 1 <= Math.floor(this.#grewMs / intervalMs))
      this.#report("raise-too-early", `${request.label}: ${early} from ${fromEpoch - 1}, when the capacity grew`);
  }

  #checkRaise(table: SimTable, request: StoreRequest, view: MemberView, group: GroupRow): void {
    const member = table.memberAtRank(view.rank);
    if (member?.held !== view.held)
      this.#report("held-recorded", `${request.label}: answered ${view.held}, recorded ${member?.held}`);
    if (!member) return;
    const held = this.#before?.held.get(member.incarnation);
    const raised = held !== undefined && member.held > held;
    if (raised && view.status === "disagree" && group.held > group.capacity)
      this.#report(
        "held-sum",
        `${request.label}: raised to ${member.held}, all hold ${group.held} of ${group.capacity}`,
      );
    // Only agreement gives more than what the member may use in every epoch: a token of the remainder, where there is
    // one.
    const remainder = view.status === "agree" && group.capacity % group.memberCount > 0 ? 1 : 0;
    if (raised && member.held > view.entitled + remainder)
      this.#report(
        "held-sum",
        `${request.label}: raised to ${member.held}, and entitled to ${view.entitled} of ${group.capacity} among ${group.memberCount}`,
      );
  }
}
