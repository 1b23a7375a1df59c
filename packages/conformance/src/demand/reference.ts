import { type MemberView, MemoryStore, type Runtime, systemRuntime, type View } from "@dt/core";
import type { CaseContext } from "../context.ts";
import { isMemberView } from "../member.ts";
import type { Rule } from "../rules.ts";

/** What of an answer follows from the ledger's arithmetic, and which rule it is broken by where it is another one. */
const JUDGED: readonly (readonly [name: string, rule: Rule, of: (view: MemberView) => unknown])[] = [
  ["memberCount", "R4", ({ members: memberCount }) => memberCount],
  ["demand", "R22", ({ demand }) => demand !== undefined],
  ["demand.waterLevel", "R21", ({ demand }) => demand?.waterLevel],
  ["demand.reserve", "R21", ({ demand }) => demand?.reserve],
  ["demand.extra", "R21", ({ demand }) => demand?.extra],
  ["demand.odd", "R23", ({ demand }) => demand?.odd],
  ["held", "R29", ({ demand, held }) => demand?.slots && held],
  ["held", "R22", ({ held }) => held],
  ["demand.hungry", "R22", ({ demand }) => demand?.hungry],
  ["demand.tight", "R22", ({ demand }) => demand?.tight],
  ["demand.slots.over", "R32", ({ demand }) => demand?.slots?.over],
  ["demand.slots.wanted", "R33", ({ demand }) => demand?.slots?.wanted],
  ["demand.slots.place", "R33", ({ demand }) => demand?.slots?.place],
  ["demand.slots.turns", "R33", ({ demand }) => demand?.slots?.turns],
  ["entitled", "R24", ({ entitled }) => entitled],
  ["status", "R25", ({ status }) => status],
  ["early", "R20", ({ early }) => early],
  // A slot may be used at once: its epoch is of no use to a member.
  ["fromEpoch", "R20", ({ demand, fromEpoch }) => (demand?.slots ? undefined : fromEpoch)],
];

/**
 * The ledger of core beside the store that is judged: it is given the same requests, one after the other, at the times
 * that the store answered.
 */
export class Reference {
  readonly store: MemoryStore;
  #timeMs = 0;

  constructor() {
    const runtime: Runtime = { ...systemRuntime, now: () => this.#timeMs };
    this.store = new MemoryStore({ runtime });
  }

  /** Gives it a request that was answered at this time. */
  async at<T>({ storeTimeMs }: Pick<View, "storeTimeMs">, request: (store: MemoryStore) => Promise<T>): Promise<T> {
    this.#timeMs = storeTimeMs;
    return request(this.store);
  }

  /** Judges an answer by what the ledger says to the same request. */
  judge(context: CaseContext, answered: View, expected: View): void {
    if (!isMemberView(answered) || !isMemberView(expected)) {
      context.equal(answered.status, expected.status, "status, as the ledger of core answers the same request", "R3");
      return;
    }
    for (const [name, rule, of] of JUDGED)
      context.equal(of(answered), of(expected), `${name}, as the ledger of core answers the same request`, rule);
  }
}
