import type { LeaseRow } from "@dt/core/ledger";
import { budgetMutant, type Mutant } from "../flaw.ts";
import { PlainBudgetTable } from "../suite-internals.ts";

/** Leases stay known for ever. */
class ForgetsNothing extends PlainBudgetTable {
  override forgetLeases(): void {}
}

/** Remembers the leases that were settled. */
class RemembersSettled extends PlainBudgetTable {
  readonly settled = new Map<string, LeaseRow>();

  override removeLease(id: string): void {
    const lease = this.lease(id);
    if (lease) this.settled.set(id, lease);
    super.removeLease(id);
  }
}

/** B8: what arrives twice. */
export const repeatMutants: readonly Mutant[] = [
  budgetMutant("a reservation that arrives again is made again", "B8", {
    spend: ({ table, request }, proceed) => {
      if (request.reserve) table.removeLease(request.reserve.id);
      return proceed();
    },
  }),
  budgetMutant("a repeat is answered with no wait", "B8", {
    spend: ({ table, request }, proceed) => {
      const isKnown = request.reserve && table.lease(request.reserve.id) !== undefined;
      const { limitedBy: _, ...answer } = proceed();
      return isKnown ? { ...answer, waitMs: 0 } : proceed();
    },
  }),
  budgetMutant("a repeat with other costs is charged what they are more", "B8", {
    spend: ({ table, request: { reserve, ...request } }, proceed) => {
      const known = reserve && table.lease(reserve.id);
      const answer = proceed();
      if (!known || !reserve) return answer;
      const costs = reserve.costs.map((cost, place) => Math.max(cost, known.costs[place] ?? 0));
      const { limits, keeps } = request;
      const { rests } = proceed({ limits, keeps, settle: [{ id: reserve.id, costs, measured: false }] });
      table.putLease({ ...known, costs });
      return { ...answer, rests };
    },
  }),
  budgetMutant("a lease is known until its instant only", "B8", {
    spend: ({ request: { reserve, ...request } }, proceed) =>
      proceed({ ...request, ...(reserve && { reserve: { ...reserve, keepMs: 0 } }) }),
  }),
  budgetMutant("a lease that is not settled is known for ever", "B8", { table: ForgetsNothing }),
  budgetMutant("an id whose lease was settled is answered that lease", "B8", {
    table: RemembersSettled,
    spend: ({ table, request }, proceed) => {
      const settled = (table as RemembersSettled).settled.get(request.reserve?.id ?? "");
      if (settled) table.putLease(settled);
      return proceed();
    },
  }),
  budgetMutant("an id that was refused is refused again", "B8", {
    table: RemembersSettled,
    spend: ({ table, request: { reserve, ...request } }, proceed) => {
      const { settled } = table as RemembersSettled;
      if (reserve && settled.has(`refused ${reserve.id}`)) return { ...proceed(request), waitMs: 1e6, limitedBy: 0 };
      const answer = proceed();
      const nothing = { id: "", atMs: 0, tier: 0, waitMs: 0, limitedBy: 0, costs: [], forgetAtMs: 0 };
      if (reserve && !answer.granted) settled.set(`refused ${reserve.id}`, nothing);
      return answer;
    },
  }),
];
