import type { CaseContext } from "./context.ts";
import type { Rule } from "./rules.ts";
import type { StoreDamage, StoreFaults, StoreTarget } from "./target.ts";

/** One case of the suite, before it is bound to a target. */
export interface CaseDefinition {
  /** What a store that keeps the rule does, as a sentence. */
  readonly name: string;
  /** The rule that the case is about; a failure may name another one, which it shows broken. */
  readonly rule: Rule;
  /** What goes wrong in production when the rule is broken; only where it is not plain. */
  readonly why?: string;
  /** What the case needs of the target; without it the case is skipped and the report says so. */
  readonly needs?: readonly Need[];
  /** True when the case disturbs this process, so that no other case may run meanwhile. */
  readonly alone?: boolean;
  run(context: CaseContext): Promise<void>;
}

/** Something that not every target has. */
export type Need =
  | "ledger"
  | "hints"
  | "demand"
  | "slots"
  | "permits"
  | "budgets"
  | "buckets"
  | "limits"
  | "losesData"
  | "learnsWhenNew"
  | "dataAge"
  | "skewedStore"
  | "roundTrips"
  | "separateStores"
  | "distantClock"
  | "commonClock"
  | "keepsData"
  | "holdUp"
  | keyof StoreDamage
  | keyof StoreFaults;

const damage = (name: keyof StoreDamage) => (target: StoreTarget) =>
  target.damage?.[name] ? undefined : `the target has no damage "${name}"`;

const NEEDS: Readonly<Record<Exclude<Need, keyof StoreFaults>, (target: StoreTarget) => string | undefined>> = {
  ledger: ({ capabilities }) =>
    capabilities.ledger ? undefined : "the store keeps no ledger (capabilities.ledger is false)",
  hints: ({ capabilities }) =>
    capabilities.hints ? undefined : "the store sends no hints (capabilities.hints is false)",
  demand: ({ capabilities }) =>
    capabilities.demand ? undefined : "the store divides evenly only (capabilities.demand is not true)",
  slots: ({ capabilities }) =>
    capabilities.slots ? undefined : "the store keeps no queue of slots (capabilities.slots is not true)",
  // Unless the target says it, only the store can tell: `CaseContext.permits` looks.
  permits: (target) => (target.permits === false ? "the target keeps no permits" : undefined),
  budgets: (target) => (target.budgets === false ? "the target keeps no budgets" : undefined),
  buckets: (target) => (target.buckets === false ? "the target keeps no buckets" : undefined),
  limits: (target) => (target.limits === false ? "the target keeps no stored limits" : undefined),
  losesData: ({ capabilities }) =>
    capabilities.losesData ? undefined : "the store cannot lose its data (capabilities.losesData is false)",
  learnsWhenNew: ({ capabilities }) =>
    capabilities.dataAge ? "a group that is new in old data does not learn (capabilities.dataAge is true)" : undefined,
  dataAge: ({ capabilities }) =>
    capabilities.dataAge ? undefined : "the store does not know the age of its data (capabilities.dataAge is not true)",
  skewedStore: (target) => (target.createSkewedStore ? undefined : "the target has no createSkewedStore"),
  roundTrips: (target) => (target.roundTrips ? undefined : "the target has no roundTrips"),
  distantClock: ({ capabilities }) =>
    capabilities.clock === "host" ? "the store's clock is this machine's (capabilities.clock is host)" : undefined,
  commonClock: ({ capabilities }) =>
    capabilities.clock === "hybrid" ? "the store has no clock of its own (capabilities.clock is hybrid)" : undefined,
  keepsData: ({ capabilities }) =>
    capabilities.losesData ? "the store may lose its data (capabilities.losesData is true)" : undefined,
  holdUp: (target) => (target.holdUp ? undefined : "the target has no holdUp"),
  separateStores: (target) => (target.sharesData === false ? "two stores of the target share no data" : undefined),
  spoilMember: damage("spoilMember"),
  spoilGroup: damage("spoilGroup"),
  deleteGroup: damage("deleteGroup"),
  spoilSums: damage("spoilSums"),
  makeNewer: damage("makeNewer"),
  spoilPermits: damage("spoilPermits"),
  spoilBudget: damage("spoilBudget"),
  spoilBucket: damage("spoilBucket"),
  spoilLimit: damage("spoilLimit"),
};

type Common = Pick<CaseDefinition, "rule" | "needs">;

/** Cases of one rule, which need the same of a target; one that has its own says so. */
export function casesOf(
  common: Common,
  cases: readonly (Omit<CaseDefinition, keyof Common> & Partial<Common>)[],
): readonly CaseDefinition[] {
  return cases.map((one) => ({ ...common, ...one }));
}

/** Why a case does not run for a target; undefined when it does. */
export function skipReason(definition: CaseDefinition, target: StoreTarget): string | undefined {
  for (const need of definition.needs ?? []) {
    const missing =
      need in NEEDS ? NEEDS[need as keyof typeof NEEDS](target) : missingFault(need as keyof StoreFaults, target);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/**
 * True for cases that disturb the server or this process, or count what the server does: they run after all others, one
 * at a time.
 */
export function runsAlone(definition: CaseDefinition): boolean {
  return (
    definition.alone === true || (definition.needs ?? []).some((need) => need === "roundTrips" || !(need in NEEDS))
  );
}

/** True for cases that take the server away, and look at what the store's deadline does about it. */
export function takesServerAway(definition: Pick<CaseDefinition, "needs">): boolean {
  return (definition.needs ?? []).some((need) => need === "pause" || need === "partition" || need === "kill");
}

function missingFault(fault: keyof StoreFaults, target: StoreTarget): string | undefined {
  return target.faults?.[fault] ? undefined : `the target has no fault "${fault}"`;
}
