import type {
  BucketSnapshot,
  BudgetSnapshot,
  GroupSnapshot,
  LimitRecord,
  MemberSnapshot,
  PermitSnapshot,
} from "@dt/core";

/** A member that shares evenly, uses what it holds and reported half a second ago. */
export function memberOf(id: string, overrides: Partial<MemberSnapshot> = {}): MemberSnapshot {
  return {
    id,
    incarnation: `boot-${id}`,
    rank: 0,
    generation: 7,
    memberCount: 2,
    held: 50,
    max: 100,
    level: null,
    silentMs: 500,
    fenced: false,
    used: 25,
    waiting: 0,
    ...overrides,
  };
}

/** A group of these members: 100 tokens a second. */
export function groupOf(members: readonly MemberSnapshot[], overrides: Partial<GroupSnapshot> = {}): GroupSnapshot {
  return {
    group: "payments",
    generation: 7,
    capacity: 100,
    memberCount: members.length,
    adopted: members.length,
    held: members.reduce((sum, { held }) => sum + held, 0),
    intervalMs: 1_000,
    storeTimeMs: 1_000_000,
    groupAgeMs: 60_000,
    learning: false,
    members,
    ...overrides,
  };
}

/** A pacer of one permit in 100 ms, of which nothing is reserved. */
export function pacerOf(overrides: Partial<PermitSnapshot> = {}): PermitSnapshot {
  return {
    ...{ key: "emails", terms: "every 100 ms, burst 1", reservedUntilMs: 0, known: 0, freed: 0, waiting: 0 },
    storeTimeMs: 1_000_000,
    ...overrides,
  };
}

/** A budget of 10 calls and 1,000 tokens a minute, of which a half is spent. */
export function budgetOf(overrides: Partial<BudgetSnapshot> = {}): BudgetSnapshot {
  return {
    budget: "llm",
    terms: "terms",
    limits: [
      { name: "calls", max: 10, windowMs: 60_000, spent: 5, margin: 0 },
      { name: "tokens", max: 1_000, windowMs: 60_000, spent: 500, margin: 100 },
    ],
    ...{ open: 2, pausedForMs: 0, storeTimeMs: 1_000_000 },
    ...overrides,
  };
}

/** A key with 5 units, of which so many are left. */
export function bucketOf(key: string, remaining: number, overrides: Partial<BucketSnapshot> = {}): BucketSnapshot {
  return {
    ...{ name: "api", key, limit: { max: 5, windowMs: 1_000, burst: 5 }, remaining, resetMs: 200 * (5 - remaining) },
    ...{ held: 0, inFlight: 0, hits: 0, hitsResetMs: 0, storeTimeMs: 1_000_000 },
    ...overrides,
  };
}

/** A limit in the store that counts. */
export const STORED: LimitRecord = {
  ...{ revision: 1, values: { max: 50 }, inForce: true, storeTimeMs: 1_000_000 },
  history: [{ atMs: 900_000, by: "ann", to: { max: 50 }, why: "an incident" }],
};
